import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { needed } from '../../src/adapters/stripe/webhook-event.ts';
import { permissions } from '../../src/cli/check/stripe-permissions.ts';
import { commands } from '../../src/cli/table.ts';
import { table } from '../../src/process/setting-table.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/go-live.md'), 'utf8');

/** The permission for each resource of Stripe's library, and for each part of an object that is requested with it. */
const permissionOf: Record<string, string> = {
  paymentIntents: 'PaymentIntents',
  'checkout.sessions': 'Checkout Sessions',
  customers: 'Customers',
  customer: 'Customers',
  subscriptions: 'Subscriptions',
  invoices: 'Invoices',
  invoicePayments: 'Invoices',
  products: 'Products',
  prices: 'Prices',
  refunds: 'Refunds',
  disputes: 'Disputes',
  charges: 'Charges',
  paymentMethods: 'Payment Methods',
  'tax.calculations': 'Tax Calculations',
  payment_intent: 'PaymentIntents',
  setup_intent: 'Setup Intents',
  payment_method: 'Payment Methods',
  default_payment_method: 'Payment Methods',
  latest_charge: 'Charges',
  latest_invoice: 'Invoices',
  invoice: 'Invoices',
  payments: 'Invoices',
  balance_transaction: 'Balance Transactions',
  add_invoice_items: 'Invoice Items',
  'billingPortal.sessions': 'Customer portal',
  'billingPortal.configurations': 'Customer portal',
  '/v1/payment_intents': 'PaymentIntents',
};
const reads = ['list', 'retrieve'];
const localCalls = /^webhooks\./;

/** Returns every request that src/adapters/stripe makes, as permission and access. */
function requested(): Map<string, 'write' | 'read'> {
  const found = new Map<string, 'write' | 'read'>();
  const add = (resource: string, access: 'write' | 'read') => {
    const name = permissionOf[resource];
    if (name === undefined) throw new Error(`no permission is known for ${resource}`);
    if (found.get(name) !== 'write') found.set(name, access);
  };
  for (const path of globSync('src/adapters/stripe/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, path), 'utf8').replace(/\s+(?=\.)/g, '');
    for (const [, chain = ''] of text.matchAll(/\bstripe((?:\.[a-zA-Z]+){2,})\(/g)) {
      const words = chain
        .slice(1)
        .split('.')
        .filter((word) => word !== 'autoPagingToArray');
      const method = words.pop() ?? '';
      if (!localCalls.test(chain.slice(1))) add(words.join('.'), reads.includes(method) ? 'read' : 'write');
    }
    for (const [, verb, target = ''] of text.matchAll(/rawRequest\(\s*'([A-Z]+)',\s*'([^']+)'/g))
      add(target, verb === 'GET' ? 'read' : 'write');
    for (const [, list = ''] of text.matchAll(/(?:expand: |const with\w+ = )\[([^\]]*)\]/g))
      for (const [, expanded = ''] of list.matchAll(/'([^']+)'/g))
        for (const part of expanded.split('.').filter((part) => part !== 'data')) add(part, 'read');
    if (text.includes('add_invoice_items')) add('add_invoice_items', 'write');
  }
  return found;
}

test('the permissions of a restricted key are those that the requests need', () => {
  const ofShop = permissions.filter(({ only }) => !only?.includes('sluice check'));
  expect(Object.fromEntries(requested())).toEqual(
    Object.fromEntries(ofShop.map(({ name, access }) => [name, access])),
  );
});

test('the guide lists exactly these permissions and events', () => {
  const rows = [...page.matchAll(/^\| ([A-Z][A-Za-z ]+) \| (Write|Read) \| (.*) \|$/gm)];
  expect(rows.map(([, name, access, only]) => [name, access?.toLowerCase(), only])).toEqual(
    permissions.map(({ name, access, only }) => [
      name,
      access,
      only === undefined ? 'always' : `for ${only}`,
    ]),
  );
  const [, events = ''] = /<!-- events -->\n```\n([\s\S]*?)```/.exec(page) ?? [];
  expect(events.trim().split('\n')).toEqual([...needed]);
});

test('the guide uses only settings and commands that exist', () => {
  const settings = [...page.matchAll(/^([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
  expect(settings.length).toBeGreaterThan(5);
  for (const name of settings) expect(Object.keys(table)).toContain(name);
  const names = commands.map(({ name }) => name.split(' ')[0]);
  for (const [, name] of page.matchAll(/\bsluice ([a-z]+)\b(?=[ `\n])/g)) expect(names).toContain(name);
});
