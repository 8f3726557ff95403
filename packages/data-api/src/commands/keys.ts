import { systemClock } from '@sluice/kernel/clock';
import * as CommandLine from '@sluice/kernel/command-line';
import * as Database from '../adapters/database.ts';
import { keyStore } from '../adapters/keys.ts';
import { apis } from '../http/operations.ts';
import * as KeyStore from '../keys/key-store.ts';
import { summary } from '../schema/wording.ts';
import type { Reach } from './reach.ts';

export const help = `Manages the API keys of the data API.

  sluice direct keys create --plan Start [--label "Acme"]    creates a key and shows its secret once
  sluice direct keys list [ID]                               lists all keys, or one
  sluice direct keys rotate ID [--overlap 24h]               creates a new secret; earlier ones expire after the overlap
  sluice direct keys set-plan ID --plan Scale                changes the plan at once, with its full allowance of records
  sluice direct keys set-plan ID --status past_due           sets active, past_due, canceled or expired
  sluice direct keys limit ID --only /v2/jobs/company,/v2/search/people     restricts it to these operations; --all allows all
  sluice direct keys revoke ID                               revokes it at once; this cannot be undone

  --plan NAME           Start, Scale, Trial or Storefront; any other name is a custom plan, which needs --rate and --records
  --rate N              requests per second, on each endpoint
  --records N           records per month, or: unlimited
  --only PATHS, --all   also for create; by default, a new key may call all operations
  --overlap TIME        0 (at once), 90s, 30m, 24h (default) or 7d
  --database-url URL    default: DATABASE_URL, otherwise the database of \`sluice start\` in DATA_DIR
  --json                prints the result as JSON

Exit code: 0 done, 1 refused (unknown key, invalid value), 2 invalid arguments, or the database is unavailable.`;

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
type Flags = ReturnType<typeof CommandLine.read<typeof options>>['values'];

const listedAtOnceMax = 1_000;
const statementTimeoutMs = 10_000;
const closeTimeoutMs = 1_000;
const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

type Result = KeyStore.Outcome | { kind: 'listed'; keys: KeyStore.KeyEntry[] };
type CommandInput = { keys: KeyStore.KeyStore; id: string; flags: Flags; nowMs: number };
type Verb = {
  /** Use of the key id after the command. */
  id: 'required' | 'optional' | 'none';
  flags: readonly (keyof Flags)[];
  /** At least one of the flags is required. */
  needsFlag?: true;
  run(input: CommandInput): Promise<Result>;
};

const planFlags = ['plan', 'rate', 'records'] as const;
const verbs = new Map<string, Verb>([
  [
    'create',
    {
      id: 'none',
      flags: [...planFlags, 'label', 'only', 'all'],
      run: ({ keys, flags, nowMs }) =>
        KeyStore.make(keys, apis, { label: flags.label, plan: plan(flags), ...operations(flags) }, nowMs),
    },
  ],
  [
    'list',
    {
      id: 'optional',
      flags: [],
      run: async ({ keys, id, nowMs }) =>
        id ? KeyStore.show(keys, id, nowMs) : { kind: 'listed', keys: await listed(keys, nowMs) },
    },
  ],
  [
    'rotate',
    {
      id: 'required',
      flags: ['overlap'],
      run: ({ keys, id, flags, nowMs }) =>
        KeyStore.rotate(keys, id, { overlap_seconds: seconds(flags.overlap) }, nowMs),
    },
  ],
  [
    'set-plan',
    {
      id: 'required',
      flags: [...planFlags, 'status'],
      needsFlag: true,
      run: ({ keys, id, flags, nowMs }) =>
        KeyStore.change(keys, apis, id, { plan: plan(flags), status: flags.status }, nowMs),
    },
  ],
  [
    'limit',
    {
      id: 'required',
      flags: ['only', 'all'],
      needsFlag: true,
      run: ({ keys, id, flags, nowMs }) => KeyStore.change(keys, apis, id, operations(flags), nowMs),
    },
  ],
  ['revoke', { id: 'required', flags: [], run: ({ keys, id, nowMs }) => KeyStore.revoke(keys, id, nowMs) }],
]);

export async function run(args: string[], reach: Reach): Promise<number> {
  const { verb, id, flags } = parse(args);
  const nowMs = systemClock();
  const result = await at(reach, flags['database-url'], (keys) => verb.run({ keys, id, flags, nowMs })).catch(
    (fault: unknown) => {
      throw new Error(`The database of the keys is unavailable: ${reason(fault)}`);
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

/** Runs `work` on the keys of the database at `url`, or of the default one. */
async function at<T>(
  reach: Reach,
  url: string | undefined,
  work: (keys: KeyStore.KeyStore) => Promise<T>,
): Promise<T> {
  const database = await reach(url);
  const sql = Database.openPool(database.url, { connectionsMax: 1, statementTimeoutMs });
  try {
    return await work(keyStore(sql));
  } finally {
    await Database.close(sql, closeTimeoutMs);
    await database.leave();
  }
}

/** Parses the command line. Throws `Misuse` if it is invalid. */
function parse(args: string[]): { verb: Verb; id: string; flags: Flags } {
  const { values: flags, positionals } = CommandLine.read(args, options);
  const [command, id = '', ...rest] = positionals;
  const name = CommandLine.choose(command, [...verbs.keys()]);
  const verb = verbs.get(name);
  if (verb === undefined) throw new Error(`no verb ${name}`);
  CommandLine.noMore(verb.id === 'none' && id !== '' ? [id, ...rest] : rest);
  if (verb.id === 'required' && id === '')
    throw new CommandLine.Misuse(`${name} needs the id of a key. List them: sluice direct keys list`);
  const given = Object.keys(flags).filter((flag) => !['database-url', 'json'].includes(flag));
  const unknown = given.find((flag) => !verb.flags.some((known) => known === flag));
  if (unknown !== undefined) throw new CommandLine.Misuse(`--${unknown} is not an option of ${name}`);
  if (verb.needsFlag && given.length === 0)
    throw new CommandLine.Misuse(`${name} needs one of ${verb.flags.map((flag) => `--${flag}`).join(', ')}`);
  return { verb, id, flags };
}

async function listed(keys: KeyStore.KeyStore, nowMs: number): Promise<KeyStore.KeyEntry[]> {
  const found: KeyStore.KeyEntry[] = [];
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

/** Converts digits to a number. Leaves anything else for the validation to refuse. */
function numeric(given: string | undefined): unknown {
  return given !== undefined && /^\d+$/.test(given) ? Number(given) : given;
}

/** Converts `90s`, `30m`, `24h`, `7d` or `0` to seconds. Leaves anything else for the validation to refuse. */
function seconds(given: string | undefined): unknown {
  const [, count, unit = 's'] = /^(\d+)([smhd])?$/.exec(given ?? '') ?? [];
  return count === undefined ? given : Number(count) * (secondsOf[unit] ?? 1);
}

type Good = Exclude<Result, { kind: 'missing' | 'revoked' | 'invalid' }>;

function answer(result: Good, nowMs: number): object {
  if (result.kind === 'listed') return { keys: result.keys.map((key) => KeyStore.shown(key, nowMs)) };
  const key = KeyStore.shown(result.key, nowMs);
  return result.secret === null ? { key } : { key, secret: result.secret };
}

function text(result: Good, nowMs: number): string {
  if (result.kind === 'listed')
    return (
      result.keys.map((key) => lines(key, nowMs)).join('\n') ||
      'There are no keys. Create one: sluice direct keys create --plan Start'
    );
  const about = lines(result.key, nowMs);
  return result.secret === null
    ? about
    : `${about}\n\n${result.secret}\n\nStore this secret now. It cannot be shown again.`;
}

function lines(entry: KeyStore.KeyEntry, nowMs: number): string {
  const key = KeyStore.shown(entry, nowMs);
  const { plan } = key;
  const apis = key.allowed_apis === 'all' ? 'all operations' : key.allowed_apis.join(', ') || 'no operation';
  const records =
    key.next_reset_at === null
      ? 'unlimited'
      : `${key.records_remaining} of ${plan.records_per_month} until ${key.next_reset_at}`;
  const ends = key.secrets.flatMap((secret) => (secret.ends_at === null ? [] : [secret.ends_at]));
  return [
    [key.id, key.label, key.revoked_at && `revoked ${key.revoked_at}`].filter((part) => part).join('  '),
    `  ${plan.name} (${plan.status}) since ${plan.started_at}: ${plan.requests_per_second} requests per second, ${apis}`,
    `  records: ${records}`,
    ...ends.map((end) => `  an earlier secret expires ${end}`),
  ].join('\n');
}

function refusal(result: Exclude<Result, Good>, id: string): string {
  switch (result.kind) {
    case 'missing':
      return `There is no key ${id}. List all keys: sluice direct keys list`;
    case 'revoked':
      return `Key ${id} is revoked and cannot be changed. Create a new one: sluice direct keys create`;
    case 'invalid':
      return summary(result.faults);
  }
}

function reason(fault: unknown): string {
  const { code, message } = fault as { code?: string; message?: string };
  // No such schema or table.
  if (code === '3F000' || code === '42P01')
    return 'it has no tables for keys. Start the data API on this database once, which creates them';
  return message || String(code ?? fault);
}
