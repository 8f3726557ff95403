import { expect, test } from 'vitest';
import { sourceChanges } from '../../src/catalog/source-diff.ts';
import { inBrief, summary } from '../../src/http/console/pages/publication-changes.ts';

const before = `services:
  - { slug: lists, name: Lists, price_usd: "0.001" }
plans:
  - { id: small, kind: subscription, covers: [lists], price_usd: "3" }
`;
const added = `${before}  - { id: grader-b, name: Grader B, kind: subscription, price_usd: "4" }\n`;

test('a publication is named by what it changed, in a line', () => {
  const brief = (from: string, to: string) => inBrief(sourceChanges(from, to));
  expect(brief(before, added)).toBe('Plan Grader B: added');
  expect(brief(added, added.replace('"4"', '"4", retired: true'))).toBe('Plan Grader B: retired');
  const dearer = before.replace('"3"', '"5"').replace('0.001', '0.002');
  expect(brief(before, dearer)).toBe('Plan Small: Price; Lists: Price');
  expect(brief(before, `${before}# a note\n`)).toBe('Only comments, order or spacing');
});

test('a publication shows amounts and names as its review does', () => {
  const page = String(summary(sourceChanges(before, added.replace('"3"', '"4.5"'))));
  expect(page).toMatch(/Plan Small<\/h3>\s*<ul><li>Price: 3\.00 → 4\.50 USD \(\+50%\)</);
  expect(page).not.toContain('grader-b');
});
