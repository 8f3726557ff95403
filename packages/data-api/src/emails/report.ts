import type { EmailCounters } from './counters.ts';
import { type State, states } from './verification-status.ts';

/** Verification status of the addresses of the live data-set version, in numbers. */
export type Report = {
  states: Record<State, number>;
  /** Verified within the last thirty days, so returned to callers. */
  confirmed: number;
  /** Number of addresses by state and reason, the most frequent first. */
  reasons: readonly { state: State; reason: string; count: number }[];
  /** The backlog: addresses that are due and not claimed, and how long the oldest has been waiting. */
  due: number;
  oldestDueMs: number | null;
  /** Claimed by a worker at the moment. */
  claimed: number;
  /** Scheduled for a retry because the last attempt was inconclusive. */
  retrying: number;
  /** Returned to callers for less than two more days unless tested again. Above 0 when the workers fall behind. */
  lapsing: number;
  /** Number of addresses by age of the last test, in buckets of `ageDays`; then older ones and untested ones. */
  ages: readonly number[];
  older: number;
  untested: number;
  /** Mail operators with the longest average session. */
  slowest: readonly Operator[];
};
export type Operator = { operator: string; conversations: number; troubled: number; averageMs: number };

export type Reports = { at(nowMs: number): Promise<Report> };

export const ageDays = 5;
export const agesCount = 6;
export const slowestMax = 10;
const barMax = 40;

/** Formats the report as text. */
export function text(report: Report): string {
  const sum = states.reduce((total, state) => total + report.states[state], 0);
  if (sum === 0)
    return 'No addresses are being verified. Set DIRECT_EMAIL_HELO and DIRECT_EMAIL_FROM, as described in docs/emails.md.';
  const reasonsOf = (state: State) =>
    report.reasons
      .filter((each) => each.state === state)
      .map(({ reason, count }) => `${reason} ${number(count)}`)
      .join(', ');
  const ages = [...report.ages, report.older, report.untested];
  const most = Math.max(1, ...ages);
  return [
    `${number(sum)} addresses, ${number(report.confirmed)} of them verified within 30 days and returned to callers`,
    ...states.map((state) => row(state, report.states[state], reasonsOf(state))),
    '',
    row(
      'due now',
      report.due,
      report.oldestDueMs === null ? '' : `the oldest has been waiting ${duration(report.oldestDueMs)}`,
    ),
    row('claimed', report.claimed, ''),
    row('to retry', report.retrying, ''),
    row('lapsing', report.lapsing, 'verification expires within two days unless tested again'),
    '',
    'Age of the last test',
    ...ages.map((count, at) => row(ageName(at), count, '#'.repeat(Math.ceil((count / most) * barMax)))),
    ...(report.slowest.length > 0 ? ['', 'Slowest servers'] : []),
    ...report.slowest.map(({ operator, conversations, troubled, averageMs }) =>
      row(`${(averageMs / 1_000).toFixed(1)} s`, conversations, `${operator}, ${number(troubled)} failed`),
    ),
  ]
    .map((line) => line.trimEnd())
    .join('\n');
}

function row(name: string, count: number, more: string): string {
  return `  ${name.padEnd(12)}${number(count).padStart(11)}  ${more}`;
}

function ageName(at: number): string {
  if (at < agesCount) return `${at * ageDays}-${(at + 1) * ageDays} days`;
  return at === agesCount ? 'older' : 'never';
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function duration(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.ceil(hours * 60)} min`;
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}

/** Formats the report and the counters of this process in the Prometheus text format. */
export function metrics(report: Report, counters: EmailCounters): string {
  const seconds = (ms: number) => ms / 1_000;
  return [
    ...gauge(
      'addresses',
      'Addresses of the live data-set version by state.',
      states.map((state) => [`{state="${state}"}`, report.states[state]]),
    ),
    ...gauge('addresses_confirmed', 'Addresses verified within the last 30 days.', [['', report.confirmed]]),
    ...gauge('addresses_due', 'Addresses due for a test and not claimed by a worker.', [['', report.due]]),
    ...gauge('addresses_lapsing', 'Addresses whose verification expires within two days.', [
      ['', report.lapsing],
    ]),
    ...gauge('oldest_due_seconds', 'Seconds that the oldest due address has waited.', [
      ['', seconds(report.oldestDueMs ?? 0)],
    ]),
    ...counter(
      'tests',
      'Addresses tested by this process, by result.',
      Object.entries(counters.tests).map(([name, count]) => [`{result="${name}"}`, count]),
    ),
    ...counter('conversations', 'SMTP sessions with mail servers.', [['', counters.conversations]]),
    ...counter('conversations_troubled', 'SMTP sessions that failed or were refused by the server.', [
      ['', counters.troubled],
    ]),
    ...counter('conversation_seconds', 'Time spent in SMTP sessions.', [
      ['', seconds(counters.conversationMs)],
    ]),
    ...counter('waits', 'Addresses postponed because all connections to their mail operator were in use.', [
      ['', counters.waits],
    ]),
    ...counter('late', 'Results discarded because the claim had expired.', [['', counters.late]]),
    '',
  ].join('\n');
}

type Samples = readonly (readonly [labels: string, value: number])[];

function gauge(name: string, about: string, samples: Samples): string[] {
  return family(`sluice_email_${name}`, 'gauge', about, samples);
}

function counter(name: string, about: string, samples: Samples): string[] {
  return family(`sluice_email_${name}_total`, 'counter', about, samples);
}

function family(name: string, type: string, about: string, samples: Samples): string[] {
  return [
    `# HELP ${name} ${about}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
  ];
}
