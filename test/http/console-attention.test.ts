import { expect, test } from 'vitest';
import { attention } from '../../src/http/console/pages/attention.ts';

const task = { kind: 'low_margins' as const, count: 1, firstMs: null, lastMs: null };

test('a low margin leads to the prices for those who can change them, and to the figures for others', () => {
  expect(String(attention([task], true))).toContain('href="/admin/console/catalogue/prices"');
  expect(String(attention([task], false))).toContain('href="#services"');
});
