import fc from 'fast-check';

/** The number of an account, order or mailbox of a history. */
const who = fc.nat(2);
const where = fc.nat(1);

/** A step of a history with three accounts and two processes. A step for an order that does not exist has no effect. */
const step = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      process: where,
      account: who,
      /** True when the process has received the notification of the join. */
      knows: fc.boolean(),
      units: fc.integer({ min: 1, max: 12 }),
      used: fc.nat(12),
      /** Number of steps that the upstream takes. */
      lasts: fc.nat(4),
      end: fc.constantFrom('deliver' as const, 'deliver' as const, 'keep' as const, 'break off' as const),
    }),
  },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('join' as const), from: who, to: who }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('claim' as const), account: who, mailbox: fc.nat(1) }),
  },
  /** An order is offered under the buyer's original account, even when that has been joined to another one. */
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('offer' as const),
      account: who,
      cents: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('grant' as const), order: fc.nat(5) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('reverse' as const),
      order: fc.nat(5),
      percent: fc.constantFrom(0, 30, 100),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(50, 250, 1_000) }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('redeem' as const), account: who }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('kill' as const), process: where }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('reap' as const) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('upkeep' as const) }) },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
export type CallStep = Extract<Step, { kind: 'call' }>;

export const history = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });

const call = {
  kind: 'call' as const,
  process: 0,
  account: 0,
  knows: false,
  units: 8,
  used: 8,
  lasts: 0,
  end: 'deliver' as const,
};

/** Histories that random search takes long to find. Each account starts with ten trial units and five cents of credit, orders 0 to 2. */
export const stories: Readonly<Record<string, readonly Step[]>> = {
  'what is owed moves along': [
    { ...call, units: 12, lasts: 4, end: 'keep' },
    { kind: 'pass', ms: 50 },
    { kind: 'reverse', order: 0, percent: 100 },
    { kind: 'reap' },
    { kind: 'join', from: 0, to: 1 },
  ],
  'what comes back late follows two joins': [
    { ...call, units: 12, lasts: 9, end: 'deliver' },
    { kind: 'pass', ms: 50 },
    { kind: 'join', from: 0, to: 1 },
    { kind: 'join', from: 1, to: 2 },
    { kind: 'kill', process: 0 },
    { kind: 'upkeep' },
  ],
  'a part of an order is refunded after the join': [
    { kind: 'join', from: 0, to: 2 },
    { kind: 'reverse', order: 0, percent: 30 },
  ],
  'the part of an account has used a code': [
    { kind: 'redeem', account: 0 },
    { kind: 'redeem', account: 2 },
    { kind: 'join', from: 0, to: 1 },
    { kind: 'join', from: 1, to: 2 },
  ],
  'an old order is refunded after two joins': [
    { kind: 'join', from: 0, to: 1 },
    { ...call, account: 1, knows: true, units: 12, used: 12 },
    { kind: 'pass', ms: 250 },
    { kind: 'join', from: 1, to: 2 },
    { kind: 'reverse', order: 0, percent: 100 },
    { kind: 'reverse', order: 0, percent: 30 },
  ],
  'an answer breaks off after the join': [
    { ...call, units: 12, used: 12, lasts: 3, end: 'break off' },
    { kind: 'pass', ms: 50 },
    { kind: 'join', from: 0, to: 1 },
    { kind: 'pass', ms: 250 },
    { kind: 'pass', ms: 1_000 },
  ],
  'an order is paid after the join': [
    { kind: 'offer', account: 0, cents: 3 },
    { kind: 'join', from: 0, to: 1 },
    { kind: 'offer', account: 0, cents: 2 },
    { kind: 'grant', order: 3 },
    { kind: 'grant', order: 4 },
  ],
  'one person claims all': [
    { kind: 'claim', account: 2, mailbox: 0 },
    { kind: 'claim', account: 0, mailbox: 0 },
    { kind: 'claim', account: 1, mailbox: 0 },
    { kind: 'claim', account: 1, mailbox: 1 },
  ],
  'one person sends one code from three accounts': [
    { kind: 'redeem', account: 0 },
    { kind: 'redeem', account: 1 },
    { ...call, account: 1, units: 12, used: 12 },
    { kind: 'pass', ms: 250 },
    { kind: 'redeem', account: 2 },
    { kind: 'join', from: 1, to: 0 },
    { kind: 'redeem', account: 1 },
    { kind: 'join', from: 0, to: 2 },
    { kind: 'redeem', account: 0 },
  ],
  'a code that is in use by a call is not carried over': [
    { kind: 'redeem', account: 0 },
    { kind: 'redeem', account: 1 },
    { ...call, account: 0, units: 12, used: 1, lasts: 9 },
    { kind: 'pass', ms: 50 },
    { kind: 'join', from: 0, to: 1 },
    { kind: 'upkeep' },
  ],
  'there and back': [
    { kind: 'join', from: 0, to: 1 },
    { kind: 'join', from: 1, to: 0 },
    { kind: 'join', from: 0, to: 2 },
    { kind: 'join', from: 1, to: 2 },
    { kind: 'join', from: 2, to: 1 },
  ],
};
