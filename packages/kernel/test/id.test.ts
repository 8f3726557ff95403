import { expect, it } from 'vitest';
import { id, secret, secretDigest, slotOf, uuidv7 } from '../src/id.ts';

it('makes UUIDs of version 7 that begin with their time', () => {
  const nowMs = Date.UTC(2026, 10, 21, 12);
  const made = uuidv7(nowMs);
  expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(made.replaceAll('-', '').slice(0, 12), 16)).toBe(nowMs);
});

it('never makes the same id twice, over many pools of random bytes', () => {
  const made = Array.from({ length: 20_000 }, (_, at) => (at % 2 === 0 ? id('x') : uuidv7(0)));
  expect(new Set(made).size).toBe(made.length);
});

it('names what an id or a secret is for, and keeps secrets longer', () => {
  expect(id('acc')).toMatch(/^acc_[0-9a-f]{32}$/);
  expect(secret('sk')).toMatch(/^sk_[\w-]{43}$/);
});

it('gives ids, secrets and digests the slot of their owner', () => {
  const slots = new Set<number>();
  for (let at = 0; at < 5_000; at++) {
    const account = id('acc');
    const slot = Number.parseInt(account.slice(4, 6), 16);
    slots.add(slot);
    const key = secret('slk', account);
    const order = id('pur', account);
    const owned = [
      account,
      order,
      `${order}:pi_3abc`,
      `sub_${order}`,
      uuidv7(at, account),
      key,
      secretDigest(key),
    ];
    expect(owned.map(slotOf), account).toEqual(owned.map(() => slot));
    expect(slotOf(secret('ort', key))).toBe(slot);
    expect(slotOf(uuidv7(at, uuidv7(at, account)))).toBe(slot);
  }
  expect(slots.size).toBe(256);
});

it('still makes different ids and secrets for one owner', () => {
  const account = id('acc');
  const made = Array.from({ length: 5_000 }, () => [
    id('pur', account),
    secret('slk', account),
    uuidv7(0, account),
  ]).flat();
  expect(new Set(made).size).toBe(made.length);
});

it('gives slot 0 to text that carries none', () => {
  for (const foreign of [
    'sub_1a2b3cDEFghIJKlmnopqRST',
    'pi_3abc',
    'acc_1',
    '',
    'abc',
    'in_ff00ff00ff00ff00ff00ff00ff00ff00ff',
    '#budget',
  ])
    expect(slotOf(foreign), foreign).toBe(0);
});
