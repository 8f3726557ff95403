import * as Database from '../../direct/adapters/database.ts';
import { register } from '../../direct/adapters/keys.ts';
import { apis } from '../../direct/http/operations.ts';
import * as Register from '../../direct/keys/register.ts';
import { summary } from '../../direct/schema/wording.ts';
import { systemClock } from '../../kernel/clock.ts';
import * as Command from '../command.ts';
import * as ShopDatabase from '../shop-database.ts';

export const help = `Makes, shows, changes and ends the keys of the direct data interface.

  sluice direct keys make --plan Start [--label "Acme"]      a new key; what opens it is shown this once
  sluice direct keys list [ID]                               all keys, or one
  sluice direct keys rotate ID [--overlap 24h]               a new secret; those before it end after the overlap
  sluice direct keys set-plan ID --plan Scale                another plan, from now, with all of its records
  sluice direct keys set-plan ID --status past_due           active, past_due, canceled or expired
  sluice direct keys limit ID --only /jobs/company,/search/people     the operations that it may call; or --all
  sluice direct keys revoke ID                               ends it at once and for good

  --plan NAME           Start, Scale, Trial or Storefront; any other name is a custom plan, which needs both of
  --rate N              requests a second, on each endpoint
  --records N           records a month, or: unlimited
  --only PATHS, --all   also with make; without them a new key may call everything
  --overlap TIME        0 (at once), 90s, 30m, 24h (the default) or 7d
  --database-url URL    else DATABASE_URL, else the database that \`sluice start\` keeps in DATA_DIR
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
} as const;
type Flags = ReturnType<typeof Command.read<typeof options>>['values'];

const listedAtOnceMax = 1_000;
const statementTimeoutMs = 10_000;
const closeTimeoutMs = 1_000;
const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

type Result = Register.Outcome | { kind: 'listed'; keys: Register.Entry[] };
type Asked = { keys: Register.Register; id: string; flags: Flags; nowMs: number };
type Verb = {
  /** Whether the id of a key comes after the command. */
  id: 'needed' | 'welcome' | 'none';
  flags: readonly (keyof Flags)[];
  /** Whether at least one of the flags has to be there. */
  needsFlag?: true;
  run(asked: Asked): Promise<Result>;
};

const terms = ['plan', 'rate', 'records'] as const;
const verbs = new Map<string, Verb>([
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

export async function run(args: string[]): Promise<number> {
  const { verb, id, flags } = parse(args);
  const nowMs = systemClock();
  const result = await at(flags['database-url'], (keys) => verb.run({ keys, id, flags, nowMs })).catch(
    (fault: unknown) => {
      throw new Error(`The keys are out of reach: ${reason(fault)}`);
    },
  );
  if (result.kind === 'done' || result.kind === 'listed') {
    console.log(flags.json ? JSON.stringify(answer(result, nowMs), null, 2) : text(result, nowMs));
    return 0;
  }
  const faults = result.kind === 'invalid' ? result.faults : [];
  const error = refusal(result, id);
  console.error(flags.json ? JSON.stringify({ error, errors: faults }, null, 2) : error);
  return 1;
}

/** What `work` makes of the keys in that database. */
async function at<T>(url: string | undefined, work: (keys: Register.Register) => Promise<T>): Promise<T> {
  const database = await ShopDatabase.reach(process.env, url);
  const sql = Database.open(database.url, { connectionsMax: 1, statementTimeoutMs });
  try {
    return await work(register(sql));
  } finally {
    await Database.close(sql, closeTimeoutMs);
    await database.leave();
  }
}

/** What is asked for. Throws Misuse where it is nothing that there is. */
function parse(args: string[]): { verb: Verb; id: string; flags: Flags } {
  const { values: flags, positionals } = Command.read(args, options);
  const [given, id = '', ...rest] = positionals;
  const name = Command.choose(given, [...verbs.keys()]);
  const verb = verbs.get(name);
  if (verb === undefined) throw new Error(`no verb ${name}`);
  Command.noMore(verb.id === 'none' && id !== '' ? [id, ...rest] : rest);
  if (verb.id === 'needed' && id === '') throw new Command.Misuse(`${name} which key? Its id is missing`);
  const said = Object.keys(flags).filter((flag) => !['database-url', 'json'].includes(flag));
  const strange = said.find((flag) => !verb.flags.some((known) => known === flag));
  if (strange !== undefined) throw new Command.Misuse(`--${strange} does not go with ${name}`);
  if (verb.needsFlag && said.length === 0)
    throw new Command.Misuse(`${name} needs one of ${verb.flags.map((flag) => `--${flag}`).join(', ')}`);
  return { verb, id, flags };
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
