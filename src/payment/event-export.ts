import type { EventType, SellerEvent } from './event.ts';

/** The kinds of rows that `sluice export` writes (docs/events.md#export). */
export const exportKinds = [
  'events',
  'orders',
  'refunds',
  'disputes',
  'accounts',
  'usage',
  'account-usage',
] as const;
export type ExportKind = (typeof exportKinds)[number];
/** The kinds whose rows are events; the others have days, and their cursor is a day. */
export type EventKind = Exclude<ExportKind, 'usage' | 'account-usage'>;

export type Column = { name: string; type: 'text' | 'whole' | 'time' };
export type ExportRow = Readonly<Record<string, string | number | null>>;

const text = (...names: string[]): Column[] => names.map((name) => ({ name, type: 'text' }));
const whole = (...names: string[]): Column[] => names.map((name) => ({ name, type: 'whole' }));
const time = (...names: string[]): Column[] => names.map((name) => ({ name, type: 'time' }));

const common = [...text('event', 'type'), ...time('at'), ...text('account')];
const returned = whole('amount_micro_usd', 'tax_micro_usd');

/** The columns of each kind, in the order of the file. Amounts are integer micro-dollars, times are in UTC. */
export const columns: Readonly<Record<ExportKind, readonly Column[]>> = {
  events: [...common, ...text('data')],
  orders: [
    ...common,
    ...text('order', 'plan'),
    ...whole('amount_micro_usd', 'tax_micro_usd'),
    ...text('rail', 'payment'),
    ...whole('units'),
    ...text('subscription'),
    ...time('period_start', 'period_end'),
  ],
  refunds: [...common, ...text('refund', 'order'), ...returned, ...text('status')],
  disputes: [...common, ...text('dispute', 'order'), ...returned, ...text('status', 'reason')],
  accounts: [...common, ...text('origin', 'joined')],
  usage: [
    ...text('day', 'service', 'price_key'),
    ...whole('calls', 'units', 'included', 'cost_micro_usd', 'costed_calls', 'revenue_micro_usd'),
    ...whole('upstream_cost_micro_usd'),
  ],
  'account-usage': [
    ...text('day', 'account', 'key', 'service', 'operation', 'plan', 'price_key'),
    ...whole('calls', 'units', 'included', 'cost_micro_usd'),
    ...text('quantities'),
  ],
};

/** The events that are rows of a kind; null for all. */
export const typesOf: Readonly<Record<EventKind, readonly EventType[] | null>> = {
  events: null,
  orders: ['order.granted'],
  refunds: ['order.refunded', 'order.refund_failed'],
  disputes: ['dispute.opened', 'dispute.closed'],
  accounts: ['account.registered', 'account.joined', 'account.erased'],
};

/** Returns the row of an event. */
export function rowOf(kind: EventKind, event: SellerEvent): ExportRow {
  const { amount, tax, ...data } = event.data;
  const values: Readonly<Record<string, unknown>> = {
    ...data,
    ...{ amount_micro_usd: amount, tax_micro_usd: tax },
    ...{ event: event.id, type: event.type, at: new Date(event.atMs).toISOString(), account: event.account },
    ...(kind === 'events' && { data: JSON.stringify(event.data) }),
  };
  return Object.fromEntries(
    columns[kind].map(({ name }) => [name, (values[name] ?? null) as string | number | null]),
  );
}
