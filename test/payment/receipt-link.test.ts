import { expect, test } from 'vitest';
import * as ReceiptLink from '../../src/payment/receipt-link.ts';

const purchase = `pur_${'0123456789abcdef'.repeat(2)}`;
const invoices = [`in_${'0123456789abcdef'.repeat(2)}`, 'in_1MtHbELkdIwHu7ixl4OzzPMv'];
const secrets = { current: 'a secret of at least 32 characters' };

function issued(): string {
  const link = ReceiptLink.issue(purchase, secrets);
  if (link === null) throw new Error('no link');
  return link;
}

test('a short link opens its purchase, also after the secret was replaced once', () => {
  const replaced = { current: 'another secret, as long as that one', previous: secrets.current };
  expect(issued()).toHaveLength(44);
  expect(ReceiptLink.verify(issued(), secrets)).toBe(purchase);
  expect(ReceiptLink.verify(issued(), replaced)).toBe(purchase);
});

test('no other text opens a purchase: each changed character and each other secret is refused', () => {
  const link = issued();
  for (let at = 0; at < link.length; at += 1) {
    const changed = link.slice(0, at) + (link[at] === 'A' ? 'B' : 'A') + link.slice(at + 1);
    expect(ReceiptLink.verify(changed, secrets)).toBeNull();
  }
  const other = { current: 'another secret, as long as that one' };
  expect(ReceiptLink.verify(link, other)).toBeNull();
  const texts = [purchase, `${link}A`, link.slice(1), `${link}=`, ''];
  for (const text of texts) expect(ReceiptLink.verify(text, secrets)).toBeNull();
});

test.each(invoices)('the period or change that an invoice paid has a short link: %s', (invoice) => {
  const link = ReceiptLink.issue(invoice, secrets) ?? '';
  expect(link).toMatch(/^[\w-]{40,60}$/);
  expect(ReceiptLink.verify(link, secrets)).toBe(invoice);
  const replaced = { current: 'another secret, as long as that one', previous: secrets.current };
  expect(ReceiptLink.verify(link, replaced)).toBe(invoice);
  for (let at = 0; at < link.length; at += 1) {
    const changed = link.slice(0, at) + (link[at] === 'A' ? 'B' : 'A') + link.slice(at + 1);
    expect(ReceiptLink.verify(changed, secrets)).toBeNull();
  }
  const texts = [invoice, `${link}A`, link.slice(0, -1), link.slice(1), `${invoice}-`];
  for (const text of texts) expect(ReceiptLink.verify(text, secrets)).toBeNull();
});

test('an id of another form has no short link', () => {
  expect(ReceiptLink.issue('pur_x', secrets)).toBeNull();
  expect(ReceiptLink.issue(`${purchase}0`, secrets)).toBeNull();
  for (const id of ['in_', 'in_a-b', `in_${'a'.repeat(65)}`, 'x_1MtHbELkdIwHu7ixl4OzzPMv'])
    expect(ReceiptLink.issue(id, secrets)).toBeNull();
});
