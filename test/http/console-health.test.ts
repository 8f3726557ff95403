import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import { type HealthFacts, health } from '../../src/http/console/pages/health.ts';

const sound: HealthFacts = {
  checks: { serving: true, ledger: true, schema: true, upstream: true },
  ...{ chargeProblem: null, writers: [], own: 'one', answers: [], answersOfMs: 1, failures: [] },
  ...{ uncountable: [], uncountableOfMs: 1, mails: [], sendsMail: true, checked: null, checkProblem: null },
  ...{ isAddressUnknown: false, canVerify: true, nowMs: 0 },
  cards: { mode: 'live', state: 'works' },
  lastWebhookEventMs: Date.UTC(2026, 10, 27, 22, 40),
  process: { version: 'v24', upMs: 1, memoryBytes: 1 },
};
const textOf = (facts: Partial<HealthFacts>) =>
  String(health({ ...sound, ...facts }))
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

test('everything works only when mail is set up, too', () => {
  expect(textOf({})).toContain('Everything works.');
  const silent = textOf({ sendsMail: false });
  expect(silent).toMatch(
    /Mail is not set up Buyers get no receipts and no sign-in links\. .*SMTP_URL.*Everything else works\./,
  );
  expect(silent).not.toContain('Everything works.');
  expect(String(health({ ...sound, sendsMail: false }))).not.toContain('class="ok verdict"');
});

test('a card processor that refuses the key or does not answer is a problem', () => {
  expect(textOf({})).toContain('Card payments works last message 27 Nov 2026, 22:40');
  const refused = textOf({ cards: { mode: 'live', state: 'refused' } });
  expect(refused).toMatch(/1 problem The card processor refuses the key.*STRIPE_SECRET_KEY/);
  expect(textOf({ cards: { mode: 'live', state: 'unreachable' } })).toMatch(
    /1 problem The card processor did/,
  );
});

test('a mode without money, and missing messages of the card processor, are named', () => {
  const unheard = { lastWebhookEventMs: null };
  expect(textOf({ ...unheard })).toContain('no message received yet');
  expect(textOf({ cards: { mode: 'test', state: 'works' } })).toContain('test mode, no money moves');
  const sandbox = textOf({ ...unheard, cards: { mode: 'sandbox', state: 'works' } });
  expect(sandbox).toContain('simulated by the sandbox, no money moves');
});

const checkOf = (rule: string, subject: string, detail: string): Partial<HealthFacts> => ({
  checked: {
    ...{ atMs: 0, who: 'admin at 192.0.2.1', counts: { lots: 1, postings: 1, calls: 1 }, violations: 1 },
    faults: [{ rule, subject, detail }],
  },
});

test('a difference in the books is a sentence with its effect, a link and a next step', () => {
  const facts = checkOf('a payment has its order', 'pur_forged', '5000000 by pi_forged');
  const text = textOf(facts);
  expect(text).toContain('The books do not agree: 1 difference.');
  expect(text).toContain('A payment of 5.00 USD (pi_forged) has no completed purchase.');
  expect(text).toContain('The buyer may have paid without getting credit.');
  expect(text).toContain('npm run reconcile');
  expect(text).not.toContain('millionths');
  const page = String(health({ ...sound, ...facts }));
  expect(page).toContain('href="/admin/console/payments/pur_forged"');
  expect(page).toMatch(/<details open><summary>Commands/);
});

test('a rule without a sentence of its own keeps its name, and numbers without a unit are explained', () => {
  const text = textOf(checkOf('nothing is negative', 'acc_1/lot_2', '-3000000 available'));
  expect(text).toContain('A rule of the ledger is broken: nothing is negative.');
  expect(text).toContain('millionths');
  const page = String(health({ ...sound, ...checkOf('nothing is negative', 'acc_1/lot_2', '3 available') }));
  expect(page).toContain('href="/admin/console/accounts/acc_1"');
});

const counted = (reason: string, calls: number, rule: 'withhold' | 'free' | 'max' | null = 'free') => ({
  ...{ operation: `POST /v1/${reason}`, reason, calls, rule, lastMs: 0 },
});

test('responses that could not be counted are apart from calls that cost more than was reserved', () => {
  const text = textOf({ uncountable: [counted('missing', 3), counted('above_hold', 2)] });
  expect(text).toMatch(/2 problems The results of 3 responses could not be counted\./);
  expect(text).toContain('2 calls cost more than was set aside for them.');
  expect(text).toMatch(/no count in the response nothing; it was delivered 3/);
  expect(text).toMatch(/more results than were reserved only what was reserved 2/);
  const only = textOf({ uncountable: [counted('above_hold', 1)] });
  expect(only).toMatch(/1 problem 1 call cost more than was set aside for it\./);
  expect(only).not.toContain('could not be counted.');
});

test.each([
  ['missing', 'withhold', 'nothing; not delivered, unless it was a stream'],
  ['missing', 'max', 'the most that the call could cost'],
  ['undecodable', 'max', 'nothing; it was not delivered'],
  ['above_units_max', 'withhold', 'nothing; for a stream or a job, the most that the call could cost'],
  ['missing', null, 'unknown: the catalogue has no such operation now'],
] as const)('a response with the reason %s and the rule %s says what it cost', (reason, rule, words) => {
  expect(textOf({ uncountable: [counted(reason, 1, rule)] })).toContain(words);
});

test('calls without an answer stand among the responses', () => {
  const failures = [{ code: 'upstream_unavailable', times: 5, recent: 3, lastMs: 0 }];
  const text = textOf({ answers: [{ status: 200, calls: 27 }], failures, answersOfMs: 900_000 });
  expect(text).toMatch(/200 succeeded 27 no answer failed 3/);
  expect(text).toMatch(/Times your API failed, since the shop started .*your API did not answer 5/);
  const old = textOf({ failures: failures.map((one) => ({ ...one, recent: 0 })), answersOfMs: 900_000 });
  expect(old).toContain('No calls in the last 15 minutes.');
});

test('a process without a sign of life is in the banner, and opens the details', () => {
  const lost = { writer: 'lost', epoch: 1, isOpen: true, silentMs: 20_000, uncheckpointed: 0, leases: 0 };
  const writers = [{ ...lost, leased: { usd: Money.zero, units: 0 } }];
  expect(textOf({ writers })).toMatch(/1 problem 1 process gave no sign of life/);
  expect(String(health({ ...sound, writers }))).toMatch(/<details open>\s*<summary><h2 id="writers">/);
});
