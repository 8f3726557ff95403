import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { sha256Hex } from '@sluice/kernel/digest';
import { id } from '@sluice/kernel/id';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import { People, type Person } from './people.ts';

const addressHeader = 'x-forwarded-for';

let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
let people: People;

beforeAll(async () => {
  mailbox = await Mailbox.open();
  const env = {
    ...mailbox.env,
    CLIENT_ADDRESS_HEADER: addressHeader,
    ADMIN_TOKEN: 'adm_of_the_slow_forms_and_long_enough',
  };
  shop = await Shop.open({ env });
  people = new People(shop, mailbox, addressHeader);
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

/** Sends a request whose body waits until `meanwhile` is done; the shop has admitted its sender before. Returns the status of the response. */
async function slow(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const length = String(Buffer.byteLength(body));
  const sending = request(shop.url + path, {
    method: 'POST',
    headers: { ...headers, 'content-length': length, expect: '100-continue' },
  });
  sending.flushHeaders();
  await once(sending, 'continue');
  await meanwhile();
  sending.end(body);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

const form = (cookie: string) => ({
  cookie,
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
const cookiesOf = ({ browser }: Person) =>
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
const keysOf = async ({ account }: Person) =>
  (await shop.sql`SELECT FROM shop.key WHERE account_id = ${account} AND revoked_at IS NULL`).length;

describe('rights that end while a body arrives', () => {
  test('invite no person to the console', async () => {
    const [operator, session] = [id('opr'), id('ops')];
    await shop.sql`INSERT INTO shop.operator (id, email, name, role) VALUES (${operator}, 'rogue@example.com', 'Rogue', 'owner')`;
    await shop.sql`INSERT INTO shop.operator_session (digest, operator_id, address, expires_at)
      VALUES (${sha256Hex(session)}, ${operator}, 'here', now() + interval '1 hour')`;
    const invite = (email: string) =>
      new URLSearchParams({ act: 'invite', email, name: 'Friend', role: 'owner' }).toString();
    const at = '/admin/console/team';
    const cookie = form(`sluice_operator=${session}`);
    const demote = () => shop.sql`UPDATE shop.operator SET role = 'viewer' WHERE id = ${operator}`;
    const remove = () => shop.sql`DELETE FROM shop.operator WHERE id = ${operator}`;
    expect(await slow(at, cookie, invite('first@example.com'), demote)).toBe(403);
    expect(await slow(at, cookie, invite('second@example.com'), remove)).toBe(401);
    const invited = await shop.sql`SELECT email FROM shop.operator`;
    expect(invited).toEqual([]);
  });

  test('create no key with a token that was revoked', async () => {
    const ada = await people.owner();
    const ended = () => people.call(ada, 'POST', '/account/team/tokens/end');
    expect(await slow('/account/keys', bearer(ada.first.token), '{"name":"later"}', ended)).toBe(401);
    expect(await keysOf(ada)).toBe(0);
  });

  test('make no call with a key that was revoked', async () => {
    const ada = await people.owner();
    const made = (await people.call(ada, 'POST', '/account/keys', { name: 'leaked' })).body;
    const revoke = () => people.call(ada, 'DELETE', `/account/keys/${made.id}`);
    const path = '/v2/search/people';
    expect(await slow(path, bearer(made.key), '{"max_results":1}', revoke)).toBe(401);
    expect(await shop.sql`SELECT FROM ledger.usage WHERE account_id = ${ada.account}`).toHaveLength(0);
  });

  test('create no key from a page of a person who lost the role', async () => {
    const ada = await people.owner();
    const bob = await people.join(ada, 'developer');
    const lost = () => people.setRole(ada, bob, 'viewer');
    expect(await slow('/shop/account/keys', form(cookiesOf(bob)), 'name=later', lost)).toBe(403);
    expect(await keysOf(ada)).toBe(0);
  });
});
