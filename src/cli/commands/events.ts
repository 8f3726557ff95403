import * as CommandLine from '@sluice/kernel/command-line';
import { id as newId } from '@sluice/kernel/id';
import * as Connection from '../../adapters/postgres/connection.ts';
import { openSellerEvents } from '../../adapters/postgres/events.ts';
import { eventDocument } from '../../discovery/event-reference.ts';
import type { SellerEvents } from '../../payment/event.ts';
import * as EventEndpoint from '../../payment/event-endpoint.ts';
import { readRange } from '../../payment/event-range.ts';
import { readEventRules } from '../../process/event-settings.ts';
import * as Settings from '../../process/settings.ts';
import { who } from '../back-office.ts';
import * as Command from '../command.ts';
import * as Compose from '../compose.ts';
import * as EncryptionKeys from '../encryption-keys.ts';
import * as ShopDatabase from '../shop-database.ts';

export const help = `Delivers the events of the shop (orders, refunds, disputes, accounts, low credit) to your own programs.

  sluice events endpoints add URL [--types order.granted,order.refunded]   prints the secret, once
  sluice events endpoints list
  sluice events endpoints rotate ID [--now]                                a new secret, printed once
  sluice events endpoints enable|disable|remove|test ID
  sluice events list [--type TYPE] [--account ACCOUNT] [--state waiting|delivered|failed] [--max 50]
  sluice events show EVENT
  sluice events openapi                                                    the types of events, as an OpenAPI document
  sluice events replay ENDPOINT --since TIME|--from EVENT [--until TIME] [--to EVENT] [--types order.granted]

  replay   delivers events again, in order per account and with the ids that they had; also those from before the endpoint was added.
           TIME is such as 2030-01-31 or 2030-01-31T12:00:00Z

  --json   prints the result as JSON

Events are signed by Standard Webhooks and come in order per account (docs/events.md). After rotate, the former secret signs as well for a day;
with --now it ends at once.

Exit code: 0 done, 1 there is no such endpoint or event, 2 the arguments are wrong, or the database could not be read.`;

const listedMax = 1_000;
const text = { type: 'string' } as const;
type Values = {
  types?: string;
  type?: string;
  account?: string;
  state?: string;
  max?: string;
  from?: string;
  to?: string;
  since?: string;
  until?: string;
  now?: boolean;
  json?: boolean;
};

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    ...{ types: text, type: text, account: text, state: text, max: text, from: text, to: text },
    ...{ since: text, until: text },
    ...{ now: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const [given, ...rest] = positionals;
  const verb = CommandLine.choose(given, ['endpoints', 'list', 'show', 'replay', 'openapi']);
  if (verb === 'openapi') return Command.tell(JSON.stringify(eventDocument(), null, 2), 0);
  const database = await ShopDatabase.reach(process.env);
  const sql = Connection.openConnection(database.url, 2);
  try {
    const events = openSellerEvents(sql, await EncryptionKeys.read(process.env));
    if (verb === 'endpoints') return await endpoints(events, rest, values);
    if (verb === 'replay') return await replay(events, rest, values);
    if (verb === 'show') return await show(events, rest);
    CommandLine.noMore(rest);
    return await list(events, values);
  } finally {
    await sql.end({ timeout: 1 });
    await database.leave();
  }
}

async function endpoints(
  events: SellerEvents,
  [given, subject = '', ...rest]: string[],
  values: Values,
): Promise<number> {
  const verb = CommandLine.choose(given, ['add', 'list', 'rotate', 'enable', 'disable', 'remove', 'test']);
  CommandLine.noMore(verb === 'list' && subject !== '' ? [subject, ...rest] : rest);
  if (verb === 'add') return add(events, subject, values);
  if (verb === 'list') {
    const all = await events.endpoints();
    const lines = all.map(
      (one) =>
        `${one.id}  ${one.state}${one.reason === null ? '' : ` (${one.reason})`}  ${one.url}  ${one.types?.join(',') ?? 'all types'}  waiting ${one.waiting}, failed ${one.failed}`,
    );
    return Command.tell(
      values.json ? JSON.stringify(all, null, 2) : lines.join('\n') || 'There is no endpoint.',
      0,
    );
  }
  if (subject === '')
    throw new CommandLine.Misuse('The id of the endpoint is missing: sluice events endpoints list');
  if (verb === 'rotate') {
    const secret = EventEndpoint.newSecret();
    return told(
      await events.rotate(subject, secret, values.now ?? false, who),
      values,
      { secret },
      `New secret, shown once: ${secret}`,
    );
  }
  if (verb === 'test') {
    const event = await events.test(subject, who);
    return told(event !== null, values, { event }, `Queued ${event}.`);
  }
  if (verb === 'remove')
    return told(await events.remove(subject, who), values, {}, 'Removed, with its deliveries.');
  const isDone = await events.enable(subject, verb === 'enable', who);
  return told(isDone, values, {}, verb === 'enable' ? 'Enabled.' : 'Disabled. Its events wait.');
}

async function add(events: SellerEvents, url: string, values: Values): Promise<number> {
  const faults: string[] = [];
  const { allows } = readEventRules(
    Settings.reader(process.env, faults),
    Compose.read(process.env).publicUrl,
  );
  const fault = EventEndpoint.urlFault(url, allows);
  if (fault !== null) throw new CommandLine.Misuse(`The URL ${fault}`);
  const read = EventEndpoint.parseTypes(values.types ?? '');
  if ('fault' in read) throw new CommandLine.Misuse(read.fault);
  const made = { id: newId('ep'), url, types: read.types, secret: EventEndpoint.newSecret() };
  if (!(await events.add(made, who)))
    return Command.tell(
      `There are ${EventEndpoint.endpointsMax} endpoints, the maximum. Remove one first.`,
      1,
    );
  const { id, secret } = made;
  return told(true, values, { id, secret }, `${id}\nSecret, shown once: ${secret}`);
}

async function list(events: SellerEvents, { type, account, state, max, json }: Values): Promise<number> {
  if (type !== undefined && !EventEndpoint.isType(type))
    throw new CommandLine.Misuse(`"${type}" is no type of event`);
  const delivery =
    state === undefined ? undefined : CommandLine.choose(state, ['waiting', 'delivered', 'failed']);
  const filter = { ...(type && { type }), ...(account && { account }), ...(delivery && { state: delivery }) };
  const found = await events.list(filter, Math.min(listedMax, Number(max ?? 50) || 50));
  const lines = found.map(
    (one) =>
      `${one.id}  ${new Date(one.atMs).toISOString()}  ${one.type}  ${one.account}  ${one.states.join(',')}`,
  );
  return Command.tell(
    json ? JSON.stringify(found, null, 2) : lines.join('\n') || 'There is no such event.',
    0,
  );
}

async function show(events: SellerEvents, [id = '', ...rest]: string[]): Promise<number> {
  CommandLine.noMore(rest);
  const found = await events.find(id);
  if (found === null) return Command.tell('There is no such event.', 1);
  return Command.tell(JSON.stringify(found, null, 2), 0);
}

async function replay(
  events: SellerEvents,
  [endpoint = '', ...rest]: string[],
  values: Values,
): Promise<number> {
  CommandLine.noMore(rest);
  if (endpoint === '')
    throw new CommandLine.Misuse('The id of the endpoint is missing: sluice events endpoints list');
  const range = readRange(values);
  if ('fault' in range)
    throw new CommandLine.Misuse(`--since, --from, --until, --to, --types: ${range.fault}`);
  let count = 0;
  for (let from = range.from; ; ) {
    const run = await events.replay(endpoint, { ...range, from }, who);
    if (run === null) return told(false, values, {}, '');
    count += run.count;
    if (run.next === null)
      return told(true, values, { events: count }, `Queued ${count} ${count === 1 ? 'event' : 'events'}.`);
    from = run.next;
  }
}

function told(isDone: boolean, { json }: Values, result: object, done: string): number {
  if (json) console.log(JSON.stringify({ done: isDone, ...result }));
  else (isDone ? console.log : console.error)(isDone ? done : 'There is no such endpoint or event.');
  return isDone ? 0 : 1;
}
