import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { type BillingFacts, billing } from '../../src/http/pages/account/billing.ts';
import { inSection } from '../../src/http/pages/account/frame.ts';
import { keys } from '../../src/http/pages/account/keys.ts';
import { type OverviewFacts, overview } from '../../src/http/pages/account/overview.ts';
import type { Holdings, Period } from '../../src/http/pages/account/plans.ts';
import { question } from '../../src/http/pages/account/question.ts';
import { closing, settings } from '../../src/http/pages/account/settings.ts';
import { type UsageFacts, usage } from '../../src/http/pages/account/usage.ts';
import type * as Frame from '../../src/http/pages/frame.ts';
import type { PurchaseEntry } from '../../src/journeys/receipts.ts';
import type { Texts } from '../../src/text/texts.ts';

const account = 'acc_1';
const ms = Date.UTC(2030, 0, 31, 12);
const iso = new Date(ms).toISOString();
const usd = (cents: number) => Money.ofCents(cents);

export const billingDetails = {
  name: '‹Acme›',
  address: '‹Street 1›\n‹10115 Berlin›',
  country: 'DE',
  taxId: '‹DE1›',
};

function periodOf(more: object): Period {
  return {
    id: 'sub_1',
    plan: 'month',
    status: 'active',
    renews: true,
    renews_at: iso,
    period_start: iso,
    period_end: iso,
    cancel_at_period_end: false,
    next_plan: null,
    pay_url: null,
    ...more,
  };
}

const refundRequest = {
  purchase: 'pur_1',
  amount_usd: '1.00',
  tax_usd: '0.19',
  reason: '‹reason›',
  asked_at: iso,
  state: 'open' as const,
  refunded_usd: '1.00',
  refunded_tax_usd: '0.19',
  answer: '‹answer›',
  declined_at: null,
};
const topUp = {
  state: 'on' as const,
  reason: null,
  changedMs: ms,
  below: usd(100),
  amount: usd(500),
  monthlyMax: usd(2_000),
  card: { brand: '‹visa›', last4: '4242' } as never,
  chargedThisMonth: usd(500),
};

const holdings: Holdings = {
  plans: [
    { id: 'credit', name: '‹Credit›', expires_at: null, balance_usd: '4.50' },
    { id: 'trial', name: '‹Trial›', expires_at: null, included_remaining: 1 },
    { id: 'month', name: '‹Month›', expires_at: null, included_remaining: 1_000 },
    { id: 'usage', name: '‹Usage›', expires_at: null, included_remaining: 0, included_usd: '19.50' },
  ],
  grants: [
    { source: null, remaining_usd: '1.00', expires_at: null },
    { source: '‹promotion›', remaining_units: 3, expires_at: iso },
    { source: 'promotion:‹CODE›', remaining_units: 3, expires_at: iso },
  ],
  subscriptions: [
    periodOf({ next_plan: '‹year›', pay_url: 'https://pay.example.com/1', status: 'past_due' }),
    periodOf({ renews: false, cancel_at_period_end: true, status: 'canceled' }),
    periodOf({ renews: false, status: 'expired' }),
    periodOf({}),
  ],
};
const nothing: Holdings = { plans: [], grants: [], subscriptions: [] };
const balance = { balance: '4.50', held: '0.10', included: 20, includedUsd: '19.50' };
const result = { text: '‹result›', secret: '‹secret›', isBad: false, link: { url: '/x', text: '‹link›' } };

const days = ['2030-01-30', '2030-01-31'];
const daily = ['search', '‹a›', '‹b›', '‹c›', '‹d›', '‹e›'].map((name) => ({
  ...{ day: '2030-01-31', name, calls: 3, units: 1_500, included: 0, cost: usd(1) },
}));
const call = {
  callId: 'call_1',
  atMs: ms,
  operation: 'POST /v1/search',
  status: 200,
  units: 5,
  cost: usd(1),
  ...{ included: 0, plans: ['‹plan›'], key: 'key_1' },
};
const calls = [
  { ...call, isReturned: false },
  { ...call, isReturned: true },
  { ...call, isReturned: false, cost: usd(0), included: 5 },
  { ...call, model: '‹model›', quantities: { '‹input›': 1_200 } },
] as never;

const shown: OverviewFacts = {
  ...{ ...balance, ...holdings, days, daily, calls, result },
  ...{ claimed: false, canClaim: true, hasKeys: true, codeSentTo: null },
  may: { billing: true, manage: true, keys: true },
};
const usageFacts: UsageFacts = {
  filters: { from: '2030-01-30', to: '2030-01-31', service: '', key: '', model: '' },
  ...{
    by: 'service',
    measure: 'units',
    usualMeasure: 'units',
    faults: [],
    days,
    daily,
    calls,
    older: 'call_1',
    isFirst: false,
  },
  ranges: [
    { days: 1, from: '2030-01-31', to: '2030-01-31' },
    { days: 2, from: '2030-01-30', to: '2030-01-31' },
  ],
  options: {
    service: [{ value: 'search', name: '‹Search›' }],
    key: [{ value: 'key_1', name: '‹key›' }],
    model: [{ value: '‹model›', name: '‹model›' }],
  },
  sums: [
    { name: '‹a›', calls: 3, units: 0, included: 0, cost: usd(1), quantities: { '‹input›': 1_200 } },
    { name: null, calls: 3, units: 1_500, included: 0, cost: usd(1), quantities: null },
  ],
};
const key = {
  ...{ id: 'key_1', name: '‹key›', hint: '‹hint›', created_at: iso, services: null },
  created_by: 'ann@example.com',
};
const settingsFacts = {
  ...{ account, createdMs: ms, claimed: false, email: null, canClaim: true, ownerOfOther: null },
  session: 'ses_1',
  sessions: [
    { id: 'ses_1', device: '‹device›', atMs: ms },
    { id: 'ses_2', device: null, atMs: ms },
  ],
  connections: [{ sid: 'ses_1', clientName: '‹Client›', createdMs: ms, usedMs: ms }] as never,
};

/** Every section of an account in its states, by name. */
export function accountPages(
  texts: Texts,
  catalog: Catalog,
  entry: PurchaseEntry,
): Record<string, Frame.Html> {
  const facts: BillingFacts = {
    ...{
      ...balance,
      ...holdings,
      topUp,
      result: null,
      details: billingDetails,
      older: 'pur_1',
      before: 'pur_0',
      refundOf: 'pur_2',
    },
    mayChange: true,
    needsEmail: false,
    methods: [
      {
        subscription: 'sub_1',
        plan: 'month',
        card: { brand: '‹visa›', last4: '4242', expMonth: 1, expYear: 2031 },
        isOwn: true,
        renews: true,
      },
      { subscription: 'sub_2', plan: 'month', card: null, isOwn: true, renews: true },
      { subscription: 'sub_3', plan: 'month', card: null, isOwn: false, renews: true },
    ],
    receipts: [entry, { ...entry, purchase: 'pur_2', tax_usd: '0.00', reversed_usd: '0.00' }],
    refundRequests: [
      refundRequest,
      { ...refundRequest, state: 'declined' },
      { ...refundRequest, state: 'refunded', tax_usd: '0.00' },
    ],
    replacements: new Map([
      ['pur_2', { order: 'pur_3', plan: 'month', credit: Money.ofCents(9_899), atMs: ms }],
    ]),
    removed: new Map([[refundRequest.purchase, { plan: 'month', asset: 'unit' as const, amount: 5 }]]),
  };
  const refused = (path: string) => ({
    ...result,
    refused: { path, input: new URLSearchParams(), faults: [{ field: 'address', message: '‹fault›' }] },
  });
  return {
    'account overview': inSection(texts, 'overview', result, overview(texts, shown, catalog)),
    'account overview of a new account': overview(
      texts,
      { ...shown, ...nothing, claimed: true, hasKeys: false, calls: [] },
      catalog,
    ),
    'account that awaits a code': overview(texts, { ...shown, codeSentTo: 'ann@example.com' }, catalog),
    'account usage': inSection(texts, 'usage', null, usage(texts, usageFacts, catalog)),
    'account calls by day': usage(texts, { ...usageFacts, measure: 'calls' }, catalog),
    'account costs by day': usage(texts, { ...usageFacts, measure: 'cost' }, catalog),
    'account whose plans included all': usage(
      texts,
      {
        ...{ ...usageFacts, measure: 'cost' },
        sums: [{ name: null, calls: 3, units: 5, included: 5, cost: usd(0), quantities: null }],
      },
      catalog,
    ),
    'account without such usage': usage(
      texts,
      { ...usageFacts, filters: { ...usageFacts.filters, key: '‹key_9›' }, sums: [], calls: [] },
      catalog,
    ),
    'account without usage': usage(texts, { ...usageFacts, sums: [], calls: [] }, catalog),
    'account keys': keys(texts, {
      keys: [
        { ...key, state: 'active', expires_at: iso, budget_usd: '5.00', spent_usd: '1.00' },
        {
          ...key,
          state: 'paused',
          expires_at: null,
          budget_usd: null,
          spent_usd: null,
          created_by: 'bob@example.com',
        },
        {
          ...key,
          id: 'key_2',
          state: 'active',
          expires_at: null,
          budget_usd: null,
          spent_usd: null,
          created_at: '2020-01-01T00:00:00Z',
        },
      ],
      ...{ page: 2, pages: 3, lastUse: new Map(), days: 30, firstDay: '2030-01-01', result: null },
    }),
    'account billing': billing(texts, facts, catalog),
    'account billing of another payer': billing(
      texts,
      {
        ...{ ...facts, ...nothing, methods: facts.methods.slice(2), details: null },
        topUp: { ...topUp, state: 'stopped', reason: '‹declined›' },
        result: refused('details'),
      },
      catalog,
    ),
    'account billing of a new account': billing(
      texts,
      { ...facts, topUp: null, methods: [], receipts: [] },
      catalog,
    ),
    'account settings': settings(texts, settingsFacts),
    'closing an account': closing(texts, { account, balance: '20.00', renews: true }, 'a@example.com'),
    'account settings with an address': settings(texts, {
      ...settingsFacts,
      ...{ claimed: true, email: 'ann@example.com', connections: [], sessions: [] },
    }),
    'account settings of a developer': settings(texts, {
      ...settingsFacts,
      ...{ claimed: true, email: 'dev@example.com', ownerOfOther: 'ann@example.com' },
    }),
    'account billing without an address': billing(
      texts,
      { ...facts, needsEmail: true, methods: facts.methods.slice(2) },
      catalog,
    ),
    'account settings without mail': settings(texts, { ...settingsFacts, canClaim: false }),
    question: question(texts, {
      ...{ title: '‹title›', effect: '‹effect›', action: '/x', confirm: '‹confirm›', back: '/y' },
      field: { name: 'key', value: 'key_1' },
    }),
  };
}
