import { type State, states } from './standing.ts';
import type { Tally } from './tally.ts';

/** How the addresses of the live data stand. */
export type Report = {
  states: Record<State, number>;
  /** Those that callers are told: verified within the last thirty days. */
  told: number;
  /** Why, for each state, the most frequent first. */
  reasons: readonly { state: State; reason: string; count: number }[];
  /** The backlog: due and not taken up yet, and since when the first of them has been. */
  due: number;
  oldestDueMs: number | null;
  /** Being tested now. */
  claimed: number;
  /** To be tried again, as the last try came to nothing. */
  retrying: number;
  /** Told to callers for less than two more days unless they are tested: the schedule is not kept up with. */
  lapsing: number;
  /** By the age of the last test, in stretches of `ageDays`; those older than all stretches, and those never tested. */
  ages: readonly number[];
  older: number;
  untested: number;
  /** Whose servers take the longest. */
  slowest: readonly Operator[];
};
export type Operator = { operator: string; conversations: number; troubled: number; averageMs: number };

export type Reports = { at(nowMs: number): Promise<Report> };

export const ageDays = 5;
export const agesCount = 6;
export const slowestMax = 10;
const barMax = 40;

/** The report as a page of text. */
export function text(report: Report): string {
  const sum = states.reduce((total, state) => total + report.states[state], 0);
  if (sum === 0) return 'No address of the live data is under test: see DIRECT_EMAIL_HELO in docs/emails.md.';
  const reasonsOf = (state: State) =>
    report.reasons
      .filter((each) => each.state === state)
      .map(({ reason, count }) => `${reason} ${number(count)}`)
      .join(', ');
  const ages = [...report.ages, report.older, report.untested];
  const most = Math.max(1, ...ages);
  return [
    `${number(sum)} addresses, ${number(report.told)} of them told to callers`,
    ...states.map((state) => row(state, report.states[state], reasonsOf(state))),
    '',
    row(
      'due now',
      report.due,
      report.oldestDueMs === null ? '' : `the oldest for ${duration(report.oldestDueMs)}`,
    ),
    row('in test', report.claimed, ''),
    row('to retry', report.retrying, ''),
    row('lapsing', report.lapsing, 'told for less than two more days unless tested'),
    '',
    'Age of the last test',
    ...ages.map((count, at) => row(ageName(at), count, '#'.repeat(Math.ceil((count / most) * barMax)))),
    ...(report.slowest.length > 0 ? ['', 'Slowest servers'] : []),
    ...report.slowest.map(({ operator, conversations, troubled, averageMs }) =>
      row(
        `${(averageMs / 1_000).toFixed(1)} s`,
        conversations,
        `${operator}, ${number(troubled)} in trouble`,
      ),
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

/** The report, and what this process has done, in the text format of Prometheus. */
export function metrics(report: Report, tally: Tally): string {
  const seconds = (ms: number) => ms / 1_000;
  return [
    ...gauge(
      'addresses',
      'Addresses of the live data by state.',
      states.map((state) => [`{state="${state}"}`, report.states[state]]),
    ),
    ...gauge('addresses_told', 'Verified within the last thirty days.', [['', report.told]]),
    ...gauge('addresses_due', 'The backlog: due and not taken up.', [['', report.due]]),
    ...gauge('addresses_lapsing', 'Told for less than two more days unless tested.', [['', report.lapsing]]),
    ...gauge('oldest_due_seconds', 'How long the oldest of the backlog has waited.', [
      ['', seconds(report.oldestDueMs ?? 0)],
    ]),
    ...counter(
      'tests',
      'Tests of this process by result.',
      Object.entries(tally.tests).map(([name, count]) => [`{result="${name}"}`, count]),
    ),
    ...counter('conversations', 'Conversations with mail servers.', [['', tally.conversations]]),
    ...counter('conversations_troubled', 'Those that a server broke off or refused.', [['', tally.troubled]]),
    ...counter('conversation_seconds', 'Time in conversations.', [['', seconds(tally.conversationMs)]]),
    ...counter('waits', 'Addresses put off as all lines to their servers were taken.', [['', tally.waits]]),
    ...counter('late', 'Results thrown away, as their claim had ended.', [['', tally.late]]),
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
