import { expect, test } from 'vitest';
import { attention } from '../../src/http/console/pages/attention.ts';

const task = { kind: 'low_margins' as const, count: 1, firstMs: null, lastMs: null };

test('an inquiry of a bank is a task of its own, which a refund can end', () => {
  const tasks = [
    { ...task, kind: 'inquiries' as const, dueMs: 0 },
    { ...task, kind: 'disputes' as const, dueMs: 0 },
  ];
  expect(String(attention(tasks, true))).toMatch(
    /Open disputes: respond to them<.*Open inquiries of banks: respond or refund</s,
  );
});

test('a low margin leads to the prices for those who can change them, and to the figures for others', () => {
  expect(String(attention([task], true))).toContain('href="/admin/console/catalogue/prices"');
  expect(String(attention([task], false))).toContain('href="#services"');
});
