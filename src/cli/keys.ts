/** `node src/cli/keys.ts`: the keys of the direct data interface, for those who run it. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as Cluster from '../adapters/embedded/cluster.ts';
import * as Database from '../direct/adapters/database.ts';
import { register } from '../direct/adapters/keys.ts';
import { apis } from '../direct/http/operations.ts';
import * as Register from '../direct/keys/register.ts';
import { summary } from '../direct/schema/wording.ts';
import { systemClock } from '../kernel/clock.ts';
import * as Wiring from './wiring.ts';

const help = `Makes, shows, changes and ends the keys of the direct data interface.

  node src/cli/keys.ts make --plan Start [--label "Acme"]      a new key; what opens it is shown this once
  node src/cli/keys.ts list [ID]                               all keys, or one
  node src/cli/keys.ts rotate ID [--overlap 24h]               a new secret; those before it end after the overlap
  node src/cli/keys.ts set-plan ID --plan Scale                another plan, from now, with all of its records
  node src/cli/keys.ts set-plan ID --status past_due           active, past_due, canceled or expired
  node src/cli/keys.ts limit ID --only /jobs/company,/search/people     the operations that it may call; or --all
  node src/cli/keys.ts revoke ID                               ends it at once and for good

  --plan NAME           Start, Scale, Trial or Storefront; any other name is a custom plan, which needs both of
  --rate N              requests a second, on each endpoint
  --records N           records a month, or: unlimited
  --only PATHS, --all   also with make; without them a new key may call everything
  --overlap TIME        0 (at once), 90s, 30m, 24h (the default) or 7d
  --database-url URL    else DATABASE_URL, else the database that a running \`npm start\` keeps in DATA_DIR
  --json                the answer for programs

Exit code: 0 done, 1 refused (no such key, a wrong value), 2 not understood, or the database is out of reach.`;

const options = {
  plan: { type: 'string' },
  rate: { type: 'string' },
  records: { type: 'string' },
  label: { type: 'string' },
  status: { type: 'string' },
  only: { type: 'string' },
  all: { type: 'boolean' },
  overlap: { type: 'string' },
  'database-url': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

const listedAtOnceMax = 1_000;
const statementTimeoutMs = 10_000;
const closeTimeoutMs = 1_000;
const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

type Result = Register.Outcome | { kind: 'listed'; keys: Register.Entry[] };
type Asked = { keys: Register.Register; id: string; flags: Flags; nowMs: number };
type Command = {
  /** Whether the id of a key comes after the command. */
  id: 'needed' | 'welcome' | 'none';
  flags: readonly (keyof Flags)[];
  /** Whether at least one of the flags has to be there. */
  needsFlag?: true;
  run(asked: Asked): Promise<Result>;
};

const terms = ['plan', 'rate', 'records'] as const;
const commands = new Map<string, Command>([
  [
    'make',
    {
      id: 'none',
      flags: [...terms, 'label', 'only', 'all'],
      run: ({ keys, flags, nowMs }) =>
        Register.make(keys, apis, { label: flags.label, plan: plan(flags), ...operations(flags) }, nowMs),
    },
  ],
  [
    'list',
    {
      id: 'welcome',
      flags: [],
      run: async ({ keys, id, nowMs }) =>
        id ? Register.show(keys, id, nowMs) : { kind: 'listed', keys: await listed(keys, nowMs) },
    },
  ],
  [
    'rotate',
    {
      id: 'needed',
      flags: ['overlap'],
      run: ({ keys, id, flags, nowMs }) =>
        Register.rotate(keys, id, { overlap_seconds: seconds(flags.overlap) }, nowMs),
    },
  ],
  [
    'set-plan',
    {
      id: 'needed',
      flags: [...terms, 'status'],
      needsFlag: true,
      run: ({ keys, id, flags, nowMs }) =>
        Register.change(keys, apis, id, { plan: plan(flags), status: flags.status }, nowMs),
    },
  ],
  [
    'limit',
    {
      id: 'needed',
      flags: ['only', 'all'],
      needsFlag: true,
      run: ({ keys, id, flags, nowMs }) => Register.change(keys, apis, id, operations(flags), nowMs),
    },
  ],
  ['revoke', { id: 'needed', flags: [], run: ({ keys, id, nowMs }) => Register.revoke(keys, id, nowMs) }],
]);

process.exitCode = await run(process.argv.slice(2)).catch((fault: unknown) => {
  console.error(`The keys are out of reach: ${reason(fault)}`);
  return 2;
});

async function run(args: string[]): Promise<number> {
  const asked = parse(args);
  if (asked === null || asked === 'help') {
    (asked ? console.log : console.error)(help);
    return asked ? 0 : 2;
  }
  const { command, id, flags } = asked;
  const url = flags['database-url'] || process.env.DATABASE_URL || (await running());
  if (!url) throw new Error('give --database-url or DATABASE_URL, or run the shop with npm start');
  const nowMs = systemClock();
  const result = await at(url, (keys) => command.run({ keys, id, flags, nowMs }));
  if (result.kind === 'done' || result.kind === 'listed') {
    console.log(flags.json ? JSON.stringify(answer(result, nowMs), null, 2) : text(result, nowMs));
    return 0;
  }
  const faults = result.kind === 'invalid' ? result.faults : [];
  const message = refusal(result, id);
  console.error(flags.json ? JSON.stringify({ success: false, message, errors: faults }, null, 2) : message);
  return 1;
}

/** What `work` makes of the keys in that database. */
async function at<T>(url: string, work: (keys: Register.Register) => Promise<T>): Promise<T> {
  const sql = Database.open(url, { connectionsMax: 1, statementTimeoutMs });
  try {
    return await work(register(sql));
  } finally {
    await Database.close(sql, closeTimeoutMs);
  }
}

/** What is asked for; null when it is nothing that there is. */
function parse(args: string[]): { command: Command; id: string; flags: Flags } | 'help' | null {
  try {
    const { values: flags, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [name = '', id = '', ...rest] = positionals;
    if (flags.help || name === 'help') return 'help';
    const command = commands.get(name);
    if (!command || rest.length > 0 || (id ? command.id === 'none' : command.id === 'needed')) return null;
    const given = Object.keys(flags).filter((flag) => !['database-url', 'json'].includes(flag));
    const isRight = given.every((flag) => command.flags.some((known) => known === flag));
    return isRight && (given.length > 0 || !command.needsFlag) ? { command, id, flags } : null;
  } catch {
    return null;
  }
}

/** The database of a shop that runs on this machine, if there is one. */
function running(): Promise<string | null> {
  const { dataDir } = Wiring.read(process.env);
  return Cluster.visit(join(dataDir, 'postgres'), 'sluice').catch(() => null);
}

async function listed(keys: Register.Register, nowMs: number): Promise<Register.Entry[]> {
  const found: Register.Entry[] = [];
  for (;;) {
    const more = await keys.list(found.at(-1)?.id ?? null, listedAtOnceMax, nowMs);
    found.push(...more);
    if (more.length < listedAtOnceMax) return found;
  }
}

function plan({ plan: name, rate, records }: Flags): object | undefined {
  if (name === undefined && rate === undefined && records === undefined) return undefined;
  return { name, requests_per_second: numeric(rate), records_per_month: numeric(records) };
}

function operations({ only, all }: Flags): { allowed_apis?: unknown } {
  if (all) return { allowed_apis: 'all' };
  return only === undefined ? {} : { allowed_apis: only.split(',').map((path) => path.trim()) };
}

/** A number as one; anything else as it is, to be refused under its own name. */
function numeric(given: string | undefined): unknown {
  return given !== undefined && /^\d+$/.test(given) ? Number(given) : given;
}

/** `90s`, `30m`, `24h`, `7d` or `0` in seconds. */
function seconds(given: string | undefined): unknown {
  const [, count, unit = 's'] = /^(\d+)([smhd])?$/.exec(given ?? '') ?? [];
  return count === undefined ? given : Number(count) * (secondsOf[unit] ?? 1);
}

type Good = Exclude<Result, { kind: 'missing' | 'revoked' | 'invalid' }>;

function answer(result: Good, nowMs: number): object {
  if (result.kind === 'listed') return { keys: result.keys.map((key) => Register.shown(key, nowMs)) };
  const key = Register.shown(result.key, nowMs);
  return result.secret === null ? { key } : { key, secret: result.secret };
}

function text(result: Good, nowMs: number): string {
  if (result.kind === 'listed') return result.keys.map((key) => lines(key, nowMs)).join('\n') || 'No keys.';
  const about = lines(result.key, nowMs);
  return result.secret === null ? about : `${about}\n\n${result.secret}\n\nKeep it now: it is not kept here.`;
}

function lines(entry: Register.Entry, nowMs: number): string {
  const key = Register.shown(entry, nowMs);
  const { plan } = key;
  const apis = key.allowed_apis === 'all' ? 'every operation' : key.allowed_apis.join(', ') || 'no operation';
  const records =
    key.next_reset_at === null
      ? 'unlimited'
      : `${key.records_remaining} of ${plan.records_per_month} until ${key.next_reset_at}`;
  const ends = key.secrets.flatMap((secret) => (secret.ends_at === null ? [] : [secret.ends_at]));
  return [
    [key.id, key.label, key.revoked_at && `revoked ${key.revoked_at}`].filter((part) => part).join('  '),
    `  ${plan.name} (${plan.status}) since ${plan.started_at}: ${plan.requests_per_second} a second, ${apis}`,
    `  records: ${records}`,
    ...ends.map((end) => `  an earlier secret ends ${end}`),
  ].join('\n');
}

function refusal(result: Exclude<Result, Good>, id: string): string {
  switch (result.kind) {
    case 'missing':
      return `There is no key ${id}`;
    case 'revoked':
      return `The key ${id} is revoked`;
    case 'invalid':
      return summary(result.faults);
  }
}

function reason(fault: unknown): string {
  const { code, message } = fault as { code?: string; message?: string };
  // No such schema or table.
  if (code === '3F000' || code === '42P01')
    return 'there are none in this database; the data interface makes their tables when it starts';
  return message || String(code ?? fault);
}
