import { html } from 'hono/html';
import type { BooksCheck } from '../../../journeys/books-check.ts';
import { conditionOf, type LedgerWriterState } from '../../../ledger/usage-report.ts';
import type { FailedMail } from '../../../payment/attention.ts';
import type { ProcessorState } from '../../../payment/processor.ts';
import type { Html } from '../../pages/frame.ts';
import { books } from './books.ts';
import { amount, count, fact, folded, many, moment, momentText, sign, span, table } from './figures.ts';
import { type CallFacts, isAboveHold, responses, upstream } from './health-calls.ts';

export type HealthFacts = CallFacts & {
  /** Why the database could not book a charge; null if it could. */
  chargeProblem: string | null;
  /** The writer of the process that serves this page. */
  own: string;
  /** Mail that was refused or expired, or that is tried again. */
  mails: readonly FailedMail[];
  /** False for a shop without a mail server. */
  sendsMail: boolean;
  /** The connection to the card processor. */
  cards: ProcessorState;
  /** The time of its last message; null before the first, or when the query took too long. */
  lastWebhookEventMs: number | null;
  /** The last check of the books; null before the first one. */
  checked: BooksCheck | null;
  /** Why the check that was just asked for was not finished; null otherwise. */
  checkProblem: string | null;
  /** True when requests come through a local proxy without the setting that names the field with the caller's address. */
  isAddressUnknown: boolean;
  canVerify: boolean;
  nowMs: number;
  process: { version: string; upMs: number; memoryBytes: number };
};

const checkNames: Readonly<Record<string, { name: string; problem: string }>> = {
  serving: { name: 'Shop', problem: 'This process is stopping and takes no calls' },
  ledger: {
    name: 'Charging',
    problem: 'No charge can be booked, so calls and purchases are refused',
  },
  schema: { name: 'Database', problem: 'The tables of the database are not those of this version' },
  upstream: {
    name: 'Your API',
    problem: 'Your API does not answer. Check that it runs, and that this server reaches its address',
  },
};

/** The state of the shop in one line, its parts, and below them what only an engineer needs. */
export function health(facts: HealthFacts): Html {
  const isBroken = (facts.checked?.violations ?? 0) > 0;
  return html`<h1>Health</h1>
${verdict(facts)}
${parts(facts)}${facts.isAddressUnknown ? addresses() : ''}
${isBroken ? books(facts) : ''}<div class="columns">${upstream(facts)}${isBroken ? '' : books(facts)}</div>${responses(facts)}${mail(facts)}
${technical(facts)}`;
}

/** Sums up the state of the shop. Missing mail is no problem, but then not everything works. */
function verdict(facts: HealthFacts): Html {
  const problems = problemsOf(facts);
  const again = html`Checked ${moment(facts.nowMs)}. <a href="/admin/console/health">Check again</a>`;
  const mail = facts.sendsMail
    ? ''
    : html`<p>${problems.length > 0 ? 'Mail is not set up: buyers' : 'Buyers'} get no receipts and no sign-in links. Set <code>SMTP_URL</code> and <code>MAIL_FROM</code> to those of your mail provider, and restart the shop.${problems.length > 0 ? '' : ' Everything else works.'}</p>`;
  if (problems.length > 0)
    return html`<div class="note verdict"><b>${many(problems.length, 'problem')}</b><ul>${problems.map((one) => html`<li>${one}</li>`)}</ul>${mail}<p>${again}</p></div>`;
  return facts.sendsMail
    ? html`<p class="ok verdict">Everything works. ${again}</p>`
    : html`<div class="note verdict"><b>Mail is not set up</b>${mail}<p>${again}</p></div>`;
}

const cardProblems: Readonly<Record<Exclude<ProcessorState['state'], 'works'>, string>> = {
  refused:
    'The card processor refuses the key of the shop, so no card can be charged. Check STRIPE_SECRET_KEY and its permissions.',
  unreachable: 'The card processor did not answer. If this lasts, check the outgoing network of this server.',
};

/** Returns the present problems, a sentence each. */
function problemsOf({
  checks,
  chargeProblem,
  writers: all,
  mails,
  cards,
  uncountable: counts,
  checked,
  isAddressUnknown,
}: HealthFacts): (string | Html)[] {
  const failed = Object.entries(checks).flatMap(([check, isGood]) =>
    isGood
      ? []
      : [
          `${checkNames[check]?.problem ?? `${check} is not ready`}.${check === 'ledger' ? ` ${chargeCause(chargeProblem)}` : ''}`,
        ],
  );
  const bad = all.filter((it) => ['silent', 'holds_credit'].includes(conditionOf(it))).length;
  const lost = mails.filter(({ state }) => state !== 'waiting').length;
  const callsOf = (some: typeof counts) => some.reduce((sum, { calls }) => sum + calls, 0);
  const above = callsOf(counts.filter(isAboveHold));
  const uncounted = callsOf(counts) - above;
  return [
    ...failed,
    ...(cards.state === 'works' ? [] : [cardProblems[cards.state]]),
    ...(bad > 0
      ? [
          html`<a href="#writers">${many(bad, 'process', 'processes')} gave no sign of life, or ended without returning credit.</a>`,
        ]
      : []),
    ...(lost > 0 ? [html`<a href="#mail">${many(lost, 'message')} could not be delivered.</a>`] : []),
    ...(uncounted > 0
      ? [html`<a href="#uncountable">The results of ${many(uncounted, 'response')} could not be counted.</a>`]
      : []),
    ...(above > 0
      ? [
          html`<a href="#uncountable">${many(above, 'call')} cost more than was set aside for ${above === 1 ? 'it' : 'them'}.</a>`,
        ]
      : []),
    ...(checked !== null && checked.violations > 0
      ? [
          html`<a href="#verify">The books did not agree when they were last checked, on ${momentText(checked.atMs)}: ${many(checked.violations, 'difference')}.</a>`,
        ]
      : []),
    ...(isAddressUnknown
      ? [html`<a href="#addresses">The setting CLIENT_ADDRESS_HEADER is missing.</a>`]
      : []),
  ];
}

const chargeCauses: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /does not respond|statement timeout/i,
    'The database did not answer in time, twice in a row: it is overloaded or unreachable. Look at its load and its connections.',
  ],
  [
    /read-only/i,
    'The database only reads: DATABASE_URL points to a standby, or its disk is full. Point it to the primary.',
  ],
  [
    /ECONNREFUSED|ENOTFOUND|ECONNRESET|CONNECT|connection/i,
    'The database cannot be reached. Check that it runs, and DATABASE_URL.',
  ],
  [/space|disk/i, 'The disk of the database is full. Free space on it.'],
  [/permission|privilege/i, 'The role of DATABASE_URL lacks rights on the ledger. Run the migrations again.'],
];

/** The cause of a charge that could not be booked, and what to do. Without one, this process itself is not ready. */
function chargeCause(reason: string | null): string {
  if (reason === null)
    return 'This process is opening its part of the ledger, which takes seconds after a start. Reload this page.';
  const known = chargeCauses.find(([pattern]) => pattern.test(reason))?.[1];
  return known ?? `The database says: “${reason}”. The log has more (charge_not_proved).`;
}

const modeNotes: Readonly<Record<ProcessorState['mode'], string>> = {
  live: '',
  test: 'test mode, no money moves; ',
  sandbox: 'simulated by the sandbox, no money moves; ',
};

function cardPart({ cards: { mode, state }, lastWebhookEventMs }: HealthFacts): Html {
  const last =
    lastWebhookEventMs === null
      ? 'no message received yet'
      : html`last message ${moment(lastWebhookEventMs)}`;
  return fact(
    'Card payments',
    state === 'works' ? sign('works') : sign('fails', true),
    html`${modeNotes[mode]}${last}`,
  );
}

function parts(facts: HealthFacts): Html {
  const { checks, mails, sendsMail } = facts;
  const known = Object.entries(checks).map(([check, isGood]) =>
    fact(checkNames[check]?.name ?? check, isGood ? sign('works') : sign('fails', true)),
  );
  return html`<section aria-labelledby="checks"><h2 id="checks">Parts</h2><dl class="facts">${known}${cardPart(facts)}${fact('Mail', mailSign(mails, sendsMail))}</dl></section>`;
}

function mailSign(mails: readonly FailedMail[], sendsMail: boolean): Html {
  if (!sendsMail) return sign('not set up', 'warn');
  return mails.length === 0 ? sign('works') : sign('some failed', 'warn');
}

/** The missing setting for a shop behind a proxy, and its value. */
function addresses(): Html {
  return html`<section aria-labelledby="addresses"><h2 id="addresses">Missing setting</h2>
<p>Requests come through a proxy on this machine, and the shop does not know from which field to read the address of the caller. Until it does, all callers share the limits of one address.</p>
<p>Set <code>CLIENT_ADDRESS_HEADER</code> to the field in which your proxy sends that address, and restart the shop. The proxy must write the last entry of this field itself. For most proxies:</p>
<pre tabindex="0" aria-label="Setting">CLIENT_ADDRESS_HEADER=x-forwarded-for</pre></section>`;
}

function technical(facts: HealthFacts): Html {
  const { process } = facts;
  const about = html`<dl class="facts">${[
    fact('Running for', span(process.upMs)),
    fact('Memory', `${count(Math.round(process.memoryBytes / 1_048_576))} MB`),
    fact('Node', process.version),
  ]}</dl><p class="soft">For programs: <code>/readyz</code>, and <code>/metrics</code> with the admin token.</p>`;
  const isOpen = facts.writers.some((it) => ['silent', 'holds_credit'].includes(conditionOf(it)));
  return folded(
    'writers',
    'Technical details',
    'processes, memory, version',
    html`${about}${writers(facts)}`,
    isOpen,
  );
}

function mail({ mails }: HealthFacts): Html {
  const named = { waiting: 'trying again', refused: 'refused', expired: 'expired' };
  const row = ({ state, recipient, subject, attempts, createdMs }: FailedMail) =>
    html`<tr><th scope="row">${sign(named[state], state !== 'waiting' || 'warn')}</th><td>${recipient ?? html`<span class="soft">erased</span>`}</td><td>${subject ?? ''}</td><td class="number">${count(attempts)}</td><td>${moment(createdMs)}</td></tr>`;
  return html`<section aria-labelledby="mail"><h2 id="mail">Mail that failed in the last 7 days</h2>
${mails.length === 0 ? html`<p class="soft">None.</p>` : html`<p class="soft">Recipient and text of a message are erased when it ends. Refused: the mailbox does not exist. Expired: it could not be sent in time.</p>${table('Failed mail', ['State', { bare: 'Recipient' }, { bare: 'Subject' }, { number: 'Attempts' }, { bare: 'Created' }], mails.map(row), 'stack')}`}</section>`;
}

function writers({ writers: all, own }: HealthFacts): Html {
  const status = (it: LedgerWriterState) => {
    switch (conditionOf(it)) {
      case 'running':
        return sign('running');
      case 'silent':
        return sign('silent', true);
      case 'holds_credit':
        return sign('ended, holds credit', true);
      case 'ended':
        return sign('ended', 'past');
    }
  };
  const row = (it: LedgerWriterState) =>
    html`<tr><th scope="row">${it.writer}${it.writer === own ? ' (this one)' : ''}</th><td>${status(it)}</td><td class="number">${count(it.epoch)}</td><td class="number">${span(it.silentMs)}</td><td class="number">${count(it.uncheckpointed)}</td><td class="number">${count(it.leases)}</td><td class="number">${amount('usd', it.leased.usd)}, ${amount('unit', it.leased.units)}</td></tr>`;
  return html`<h3>Processes</h3>
<p class="soft">Each process reserves (leases) credit for the calls that it serves. When one gives no sign of life, the others end it within seconds and release what it reserved.</p>
${table('Writers', ['Process', 'Status', { number: 'Starts' }, { number: 'Last sign of life' }, { number: 'Open commits' }, { number: 'Leases' }, { number: 'Leased credit' }], all.map(row))}`;
}
