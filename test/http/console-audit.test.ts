import { expect, test } from 'vitest';
import { audit, log, type TypedFilter } from '../../src/http/console/pages/audit.ts';
import { detailsText } from '../../src/http/console/pages/audit-details.ts';
import type { AuditEntry } from '../../src/identity/audit.ts';
import { boughtMs, planName, textOf } from './console-fixtures.ts';

const entryOf = (act: string, subject: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ id: 1, atMs: boughtMs, who: 'Ann Owner (owner) at 192.0.2.1', act, subject },
  ...{ email: null, url: null, before: {}, after: {} },
  ...more,
});
const shown = (entry: AuditEntry) => textOf(log([entry], planName));
const buyer = { email: 'ada@example.com' };

test('an entry of the audit log is a sentence: what was done, and to whom', () => {
  const granted = { asset: 'usd', amount: 5_000_000, plan: 'credit', reason: 'a late answer' };
  const sentences: [entry: AuditEntry, sentence: string][] = [
    [entryOf('grant', 'acc_1', { ...buyer, after: granted }), 'Granted 5.00 USD to ada @example.com'],
    [entryOf('frozen', 'acc_1', buyer), 'Froze the account of ada @example.com'],
    [
      entryOf('refund_declined', 'pur_1', { ...buyer, after: { answer: 'Used.' } }),
      'Declined the refund request of ada @example.com',
    ],
    [entryOf('promotion_ended', 'SPRING', {}), 'Ended the code SPRING'],
    [
      entryOf('promotion_made', 'SPRING', { after: { asset: 'unit', amount: 10 } }),
      'Created the code SPRING for 10 results',
    ],
    [
      entryOf('operator_invited', 'bob@example.com', { after: { role: 'support', new: true } }),
      'Invited bob @example.com as support',
    ],
    [
      entryOf('operator_role', 'bob@example.com', { before: { role: 'viewer' }, after: { role: 'support' } }),
      'Changed the role of bob @example.com: viewer → support',
    ],
    [
      entryOf('event_endpoint_removed', 'ep_1', { before: { url: 'https://a.example/' } }),
      'Removed the endpoint https://a.example/',
    ],
    [entryOf('event_test_sent', 'ep_1', {}), 'Sent a test event to ep_1'],
    [
      entryOf('event_test_sent', 'ep_1', { url: 'https://a.example/g' }),
      'Sent a test event to https://a.example/g',
    ],
    [
      entryOf('event_endpoint_disabled', 'ep_1', { url: 'https://a.example/g' }),
      'Disabled the endpoint https://a.example/g',
    ],
    [entryOf('refund_declined', 'pur_1', { after: {} }), 'Declined the refund request of the buyer of pur_1'],
    [
      entryOf('operator_removed', 'bob@example.com', { before: { role: 'viewer' } }),
      'from the team role: viewer',
    ],
    [entryOf('an_unknown_act', 'thing', {}), 'An unknown act: thing'],
  ];
  for (const [entry, sentence] of sentences) expect(shown(entry)).toContain(` ${sentence} `);
});

test('a refund that was not made is no refund in the log', () => {
  const before = { amount_usd: '5.00', left_usd: '5.00' };
  const of = (after: unknown) => shown(entryOf('refund', 'pur_1', { ...buyer, before, after }));
  expect(of({ amount: 5_000_000, tax: 0, id: 're_1' })).toContain('Refunded 5.00 USD to ada @example.com');
  const refused = of({ kind: 'refused', reason: 'no' });
  expect(refused).toContain('Tried to refund 5.00 USD to ada @example.com');
  expect(refused).toContain('refused by the card processor');
  expect(of(null)).toMatch(/Tried to refund 5\.00 USD .*outcome unknown/);
});

test('details are in words, with plans by name, and without fields that say nothing', () => {
  const made = {
    ...{
      code: 'SPRING',
      plan_id: 'start',
      asset: 'usd',
      amount: 5_000_000,
      expires_at: '2026-12-01T00:00:00.000Z',
    },
    ...{
      lot_days: 30,
      redemptions_max: 2,
      redemptions: 0,
      claimed_only: true,
      created_at: '2026-11-27T09:30:00Z',
      ended_at: null,
    },
  };
  const text = shown(entryOf('promotion_made', 'SPRING', { after: made }));
  for (const part of [
    'for the plan Start',
    'expires 1 Dec 2026',
    'credit lasts 30 days',
    'for at most 2 accounts',
    'only with a confirmed email address',
  ])
    expect(text).toContain(part);
  expect(text).not.toMatch(/Plan id|Redemptions|Claimed|Created at|Code:/);
  const anyone = shown(entryOf('promotion_made', 'SPRING', { after: { ...made, claimed_only: false } }));
  expect(anyone).not.toContain('confirmed email');
  // Programs read the export: it keeps the id.
  expect(detailsText('promotion_made', {}, made)).toContain('for the plan start');
});

test('changes of plans name the plan', () => {
  const changes = [
    {
      subject: 'plan',
      id: 'start',
      deed: 'changed',
      fields: [{ name: 'price_usd', from: '99.00', to: '79.00' }],
    },
  ];
  expect(shown(entryOf('catalog_published', 'catalog', { after: { changes } }))).toContain(
    'Plan Start: Price 99.00 → 79.00',
  );
});

test('an empty log says what it will list', () => {
  const facts = {
    filter: { signIns: 'none' as const },
    acts: [],
    entries: [],
    next: null,
    isFirst: true,
    canExport: true,
    planName,
    accountFault: null,
  };
  expect(textOf(audit(facts))).toContain('Everything that people do in the console or by commands');
});

test('an event that was sent again is named with a link, and its endpoint by address', () => {
  const entry = entryOf('event_hurried', 'ep_1', {
    url: 'https://a.example/g',
    after: { event: 'evt_05f0f641' },
  });
  expect(shown(entry)).toMatch(/Sent the event evt_05f0f641 again to https:\/\/a\.example\/g/);
  expect(String(log([entry], planName))).toContain('href="/admin/console/events/evt_05f0f641"');
});

test('a filter for a person that matches nothing says how removed persons are found', () => {
  const facts = { acts: [], entries: [], next: null, isFirst: true, canExport: true, planName };
  const page = (filter: TypedFilter) => textOf(audit({ ...facts, filter, accountFault: null }));
  expect(page({ text: 'Hedwig' })).toContain('A person who is no longer in the team is found by email');
  expect(page({ act: 'grant' })).not.toContain('no longer in the team');
});
