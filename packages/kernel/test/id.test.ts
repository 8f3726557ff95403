import { expect, it } from 'vitest';
import { id, secret, uuidv7 } from '../src/id.ts';

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
