import { Hono } from 'hono';
import { expect, test } from 'vitest';
import * as Flash from '../../src/http/console/flash.ts';
import type { ConsoleSessionContext, Person } from '../../src/http/console/sessions.ts';
import type { Env } from '../../src/http/request-context.ts';

let nowMs = 1_000;
const shopOf = (secret: string) =>
  ({
    publicUrl: 'https://shop.test',
    clock: () => nowMs,
    console: { secret },
  }) as unknown as ConsoleSessionContext;
const shop = shopOf('console secret');
const person = (session: string | null) => ({ session }) as Person;
const place = { path: '/admin/console/events', owner: person('session of ada') };
const flash = { text: 'New secret made.', isBad: false, secret: 'whsec_of_the_endpoint' };

/** Reads a `Set-Cookie` back, as the browser that got it sends it. */
async function read(set: string, from = shop, at: Parameters<typeof Flash.read>[1] = place) {
  let found: Flash.Flash | null = null;
  const app = new Hono<Env>();
  app.get('/', (c) => {
    found = Flash.read(from, at, c);
    return c.body(null);
  });
  await app.request('/', { headers: { cookie: set.split(';')[0] ?? '' } });
  return found;
}

test('an outcome is read by its page in its session, for a minute', async () => {
  const set = Flash.set(shop, place, flash);
  expect(await read(set)).toEqual(flash);
  nowMs += 59_999;
  expect(await read(set)).toEqual(flash);
  nowMs += 1;
  expect(await read(set)).toBeNull();
});

test('an outcome is read by no other page, session or shop, and not after a change of a bit', async () => {
  const set = Flash.set(shop, place, flash);
  expect(await read(set, shop, { ...place, path: '/admin/console/team' })).toBeNull();
  for (const owner of [person('session of bob'), person(null), 'visitor'] as const)
    expect(await read(set, shop, { ...place, owner })).toBeNull();
  expect(await read(set, shopOf('another secret'))).toBeNull();
  const [name, value = ''] = (set.split(';')[0] ?? '').split('=');
  const bytes = Buffer.from(value, 'base64url');
  for (const at of [0, 12, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(await read(`${name}=${changed.toString('base64url')}`)).toBeNull();
  }
  for (const value of ['', 'x', bytes.subarray(0, 28).toString('base64url')])
    expect(await read(`${name}=${value}`)).toBeNull();
});

test('the cookie of an outcome shows no secret and is kept from scripts and other sites', () => {
  const set = Flash.set(shop, place, flash);
  const value = /=([^;]*)/.exec(set)?.[1] ?? '';
  expect(Buffer.from(value, 'base64url').includes(flash.secret)).toBe(false);
  for (const part of ['__Host-', '; HttpOnly', '; SameSite=Strict', '; Secure', '; Max-Age=60'])
    expect(set).toContain(part);
  expect(Flash.set(shop, place, flash)).not.toBe(set);
});
