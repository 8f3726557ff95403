import { beforeEach, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import type { PaidCall } from '../../src/journeys/call-request.ts';
import type { PaidCallContext } from '../../src/journeys/paid-call-context.ts';
import * as ResourceOwnership from '../../src/journeys/resource-ownership.ts';
import type { Hold } from '../../src/ledger/hold.ts';

type Shop = Parameters<typeof ResourceOwnership.restrict>[0];
const own = new Set(['file_mine', 'mine/report.v2', 'other.txt.mine']);
const shop = {
  resourceOwners: { owned: async () => own },
  writer: { release() {} } as Partial<PaidCallContext['writer']>,
  report() {},
} as unknown as Shop;
const onlyOwned = { list: ['data'], key: ['id'], kind: 'file', remove: [], link: false };
const link = '</v1/files?after=file_other>; rel="next"';

let rule: typeof onlyOwned;
beforeEach(() => {
  rule = onlyOwned;
});

/** Returns a list as its caller gets it: the body, and its header `Link`. */
async function listed(body: string): Promise<[string, boolean]> {
  const call = { operation: { onlyOwned: rule } as unknown as Operation, account: 'acc_1' } as PaidCall;
  const response = await ResourceOwnership.restrict(shop, call, {} as Hold, {
    ...{ kind: 'whole', status: 200, body: Buffer.from(body) },
    headers: ['content-type', 'application/json', 'link', link],
  });
  if (response.kind !== 'whole') throw new Error(response.kind);
  return [response.body.toString(), response.headers.includes(link)];
}

describe('beside an owned list', () => {
  const data = '"data":[{"id":"file_mine"},{"id":"file_other"},{"id":4711},{"id":7}]';
  test.each([
    ['its id', '"last_id":"file_other"'],
    ['its address', '"next":"https://api.test/v1/files?after=file_other&limit=2"'],
    ['a number', '"last_id":4711'],
    ['an object', '"page":{"last_id":"file_other"}', '"page":{}'],
    ['an item', '"newest":{"id":"file_other","name":"salaries.csv"}'],
    ['an item by its id', '"included":{"file_other":{"name":"salaries.csv"}}', '"included":{}'],
    ['an array', '"links":[{"rel":"next","href":"/v1/files?after=file_other"}]'],
  ])('%s that names an item of another buyer is removed', async (_, member, rest = '') => {
    const mine = '"data":[{"id":"file_mine"}]';
    const [body] = await listed(`{"object":"list",${member},${data}}`);
    expect(body).toBe(`{"object":"list",${rest === '' ? '' : `${rest},`}${mine}}`);
    const [after] = await listed(`{${data},${member}}`);
    expect(after).toBe(rest === '' ? `{${mine}}` : `{${mine},${rest}}`);
  });

  const named = `"data":[{"id":"mine/report.v2"},{"id":"other/ä:1.txt"},{"id":"report.v2"},{"id":"other.txt"}]`;
  test.each([
    ['as it is', '/v1/files/other/ä:1.txt/content'],
    ['encoded', 'https://api.test/v1/files?after=other%2F%C3%A4%3a1.txt&limit=2'],
    ['in an encoded address', '/login?to=%2Fv1%2Ffiles%3Fafter%3Dother%252F%25C3%25A4%253A1.txt'],
    ['after an id of the caller', '/v1/files?before=mine%2Freport.v2&after=report.v2'],
  ])('an address that contains an id with other characters %s is removed', async (_, next) => {
    const [body] = await listed(`{${named},"next":${JSON.stringify(next)}}`);
    expect(body).toBe('{"data":[{"id":"mine/report.v2"}]}');
  });

  test.each([
    ['an id of the caller', '/v1/files?after=mine%2Freport.v2'],
    ['an id of the caller that begins with the id of another item', '/v1/files/other.txt.mine'],
    ['a longer word', '/v1/files?after=xreport.v2'],
    ['a broken encoding', '/v1/files?q=100%&x=%E0%A4'],
  ])('an address that contains %s stays', async (_, next) => {
    const more = `"next":${JSON.stringify(next)}`;
    expect((await listed(`{${named},${more}}`))[0]).toBe(`{"data":[{"id":"mine/report.v2"}],${more}}`);
  });

  test('members that name no other item stay byte for byte', async () => {
    const more = '"first_id": "file_mine", "total" : 7, "next":"/v1/files?page=7&of=file_mine", "more":true';
    expect(await listed(`{${data},${more}}`)).toEqual([`{"data":[{"id":"file_mine"}],${more}}`, false]);
  });

  test.each(['{"data":[{"id":"file_mine"}]}', '{"data":[]}', ''])(
    'the header Link is removed from %j, unless the seller says that it names no item',
    async (body) => {
      expect(await listed(body)).toEqual([body, false]);
      rule = { ...onlyOwned, link: true };
      expect(await listed(body)).toEqual([body, true]);
    },
  );
});
