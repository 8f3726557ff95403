import { sha256Hex } from '@sluice/kernel/digest';
import type { Operator } from '../../../identity/operators/operator.ts';
import * as Passkey from '../../../identity/operators/passkey.ts';
import { deviceOf } from '../../device.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import { mePath } from '../pages/frame.ts';
import * as Page from '../pages/me.ts';
import { type ConsoleResponse, done } from '../response.ts';
import type { ConsoleSessionContext, Person } from '../sessions.ts';
import { browserOf, passkeyContext, redirect } from '../sign-in.ts';

/** The admin token has no page of its own. */
const teamPath = '/admin/console/team';

const gone: FormResult = { text: 'This passkey no longer exists.', isBad: true };
const lastPasskey: FormResult = {
  text: 'Nothing was changed: this is your only passkey. Add another one first.',
  isBad: true,
};
const refused: FormResult = {
  text: 'The passkey could not be registered: the request was invalid or has expired, or you have 20 passkeys. Try again.',
  isBad: true,
};

/** The person's own passkeys and sessions. */
export function addOwnPage(console: Console, shop: ConsoleSessionContext): void {
  const page = async (c: Call, person: Person, result: FormResult): Promise<ConsoleResponse> => {
    const { operator } = person;
    if (operator === null) return redirect(teamPath);
    const { browser, cookies } = browserOf(shop, c);
    const options = Passkey.arePossible(shop.publicUrl)
      ? await Passkey.registrationOptions(passkeyContext(shop), operator, {
          shopName: shop.catalog.storefront.name,
          purpose: purposeOf(person),
          browser,
        })
      : null;
    const [passkeys, sessions] = await Promise.all([
      shop.operators.passkeys(operator.id),
      shop.operators.sessions(operator.id),
    ]);
    const device = deviceOf(c.req.header('user-agent'));
    const facts = { operator, passkeys, sessions, current: person.session, options, result, device };
    const status = result?.isBad ? 422 : 200;
    return { title: operator.name, status, main: Page.me(facts), hasScript: options !== null, cookies };
  };
  console.addPage(mePath, page);

  console.addPage('/admin/console/me/passkeys/:id/remove', async (c, person) => {
    const { operator } = person;
    if (operator === null) return redirect(teamPath);
    const id = c.req.param('id');
    const passkey = (await shop.operators.passkeys(operator.id)).find((one) => one.id === id);
    if (passkey === undefined) return page(c, person, gone);
    if (await isNeeded(shop, operator)) return page(c, person, lastPasskey);
    return { title: 'Remove a passkey', main: Page.confirmRemoval(passkey) };
  });

  console.addAction(mePath, async (c, form, person) => {
    const { operator } = person;
    if (operator === null) return redirect(teamPath);
    const id = form.get('id') ?? '';
    switch (form.get('act')) {
      case 'passkey_add':
        return (await add(shop, c, form, person, operator))
          ? done(mePath, 'The passkey was added.')
          : page(c, person, refused);
      case 'passkey_remove': {
        const fault = await remove(shop, operator, id, person);
        const text = 'The passkey was removed. Your other sessions have ended.';
        return fault === null ? done(mePath, text) : page(c, person, fault);
      }
      case 'session_end':
        await shop.operators.endSession(id, operator.id);
        return done(mePath, 'That session was signed out.');
      case 'sessions_end': {
        const ended = await shop.operators.endSessions(operator.id, person.session);
        return done(
          mePath,
          ended === 1 ? '1 other session was signed out.' : `${ended} other sessions were signed out.`,
        );
      }
      default:
        return page(c, person, { text: 'Unknown action. Reload the page and try again.', isBad: true });
    }
  });
}

async function add(
  shop: ConsoleSessionContext,
  c: Call,
  form: URLSearchParams,
  person: Person,
  operator: Operator,
): Promise<boolean> {
  const said = {
    credential: form.get('credential') ?? '',
    name: form.get('name') ?? '',
    purpose: purposeOf(person),
    browser: browserOf(shop, c).browser,
    invitation: null,
  };
  return (await Passkey.register(passkeyContext(shop), operator, said, person.who)) === 'registered';
}

/** Removes a passkey, and ends the other sessions: a passkey that may be in other hands must not keep them alive. Returns the fault, or null. */
async function remove(
  shop: ConsoleSessionContext,
  operator: Operator,
  id: string,
  person: Person,
): Promise<FormResult> {
  const removed = await shop.operators.removePasskey(operator.id, id, person.who);
  if (removed !== 'done') return removed === 'last_passkey' ? lastPasskey : gone;
  await shop.operators.endSessions(operator.id, person.session);
  return null;
}

/** Returns true when the person has one passkey and no single sign-on that works. */
async function isNeeded(shop: ConsoleSessionContext, { id }: Operator): Promise<boolean> {
  const own = (await shop.operators.list()).find((one) => one.id === id);
  return own?.passkeys === 1 && !(own.hasOidc && shop.consoleSignIn.oidc !== null);
}

/** Binds the challenge of a new passkey to the session. */
function purposeOf({ session }: Person): string {
  return `session ${sha256Hex(session ?? '')}`;
}
