import type { Attempt } from './attempt.ts';
import * as StreamUpstream from './stream-upstream.ts';
import type { Asked } from './upstream.ts';

/**
 * A stream as its caller saw it. `ended`: its last event arrived, which is its end for a client that reads events. `told`: its trailers.
 * `left`: its caller left it, or stopped reading.
 */
export type Stream = {
  account: number;
  asked: Asked;
  key: string | null;
  ended: boolean;
  left: boolean;
  heldMicroUsd: number;
  told: { units: number; costMicroUsd: number } | null;
};

/** A stream as the ledger recorded it: what was charged, and what of it was not credited back. */
export type Booked = { accountId: string; units: number; money: number; net: number };

const priceMicroUsd = 100;
/** So many streams must have been left before their share says something. */
const leftMin = 8;
const chargedShareMin = 0.5;

/** Returns true for a response that is a stream of a metered operation. */
export function isStreamed(attempt: Attempt): boolean {
  const headers = attempt.kind === 'whole' ? attempt.headers : attempt.part?.headers;
  return /^(text\/event-stream|application\/x-ndjson)/.test(headers?.['content-type'] ?? '');
}

/** The streams that all callers of a run received. */
export class StreamRecord {
  readonly streams = new Map<string, Stream>();
  readonly breaches: string[] = [];
  readonly counts: { [what: string]: number } = {};

  /** Records a stream. Returns true when its caller has all of it. */
  take(account: number, asked: Asked, key: string | null, attempt: Attempt): boolean {
    const part = attempt.kind === 'whole' ? attempt : attempt.part;
    if (part === null) return false;
    const call = String(part.headers['storefront-call']);
    const ended = StreamUpstream.hasEnd(asked, part.body);
    const left = attempt.kind === 'broken' && attempt.left;
    const trailers = attempt.kind === 'whole' ? attempt.trailers : {};
    const units = trailers['storefront-units'];
    const costMicroUsd = microUsd(trailers['storefront-cost-usd']);
    const told = units === undefined ? null : { units: Number(units), costMicroUsd };
    const heldMicroUsd = microUsd(part.headers['storefront-held-usd']);
    if (this.streams.has(call)) this.breaches.push(`${call} was told twice`);
    this.streams.set(call, { account, asked, key, ended, left, heldMicroUsd, told });
    if (attempt.kind === 'whole' && (!ended || told === null))
      this.breaches.push(`${call} (${asked.act}) looks complete without its ${ended ? 'cost' : 'end'}`);
    if (ended && part.body.toString('latin1') !== StreamUpstream.eventsOf(asked).join(''))
      this.breaches.push(`${call} is another stream than ${asked.id}`);
    this.#count(ended ? 'stream received' : left ? 'stream left by its caller' : 'stream cut');
    return ended;
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

/** Compares each stream as its caller saw it with the ledger. Returns the breaches, and how many of the streams that callers left were charged. */
export function compare(
  streams: ReadonlyMap<string, Stream>,
  booked: ReadonlyMap<string, Booked>,
  accountOf: (at: number) => string | undefined,
): { breaches: string[]; left: { counted: number; charged: number } } {
  const breaches: string[] = [];
  const left = { counted: 0, charged: 0 };
  const chargedKeys = new Map<string, number>();
  for (const [call, stream] of streams) {
    const { asked, key, told } = stream;
    const row = booked.get(call) ?? { accountId: null, units: 0, money: 0, net: 0 };
    const wrong = faultOf(stream, row);
    if (wrong !== null) breaches.push(`${call} (${asked.path}, ${asked.act}): ${wrong}`);
    if (row.accountId !== null && row.accountId !== accountOf(stream.account))
      breaches.push(`${call} is charged to ${row.accountId}`);
    if (told && (told.units !== row.units || told.costMicroUsd !== row.money))
      breaches.push(`${call}: told ${told.units} for ${told.costMicroUsd}, booked ${row.units}`);
    if (key !== null && row.net > 0) chargedKeys.set(key, (chargedKeys.get(key) ?? 0) + 1);
    const isCounted = stream.left && asked.path === '/v1/stream' && (StreamUpstream.usageOf(asked) ?? 0) > 0;
    if (isCounted) left.counted += 1;
    if (isCounted && row.units > 0) left.charged += 1;
  }
  for (const [key, times] of chargedKeys)
    if (times > 1) breaches.push(`${key} is charged for ${times} streams`);
  if (left.counted >= leftMin && left.charged < left.counted * chargedShareMin)
    breaches.push(`of ${left.counted} streams that callers left, ${left.charged} are charged`);
  return { breaches, left };
}

/** Returns what is wrong with the charge of a stream, or null. */
function faultOf(stream: Stream, { units, money, net }: Booked | Omit<Booked, 'accountId'>): string | null {
  const { asked, ended, left, heldMicroUsd } = stream;
  const usage = StreamUpstream.usageOf(asked);
  if (money !== units * priceMicroUsd) return `${units} units are charged with ${money}`;
  if (units > 0 && !isUsage(asked, usage, units))
    return `charged for ${units} units, where its upstream counted ${usage ?? 'none'}`;
  if (asked.act !== 'too many' && money > heldMicroUsd) return `charged ${money}, held ${heldMicroUsd}`;
  // A process that died before it could record the delivery credits the charge back: the seller's loss.
  if (ended) return units === 0 && usage !== 0 ? 'received to its end and not charged' : null;
  return net > 0 && !left ? `charged ${net} for a stream that was cut` : null;
}

/** The upstream of `too many` counts more than its request can cost: it is charged as far as the balance goes, and at least what was held. */
function isUsage({ act, max }: Asked, usage: number | null, units: number): boolean {
  if (usage === null) return false;
  return act === 'too many' ? units >= max && units <= usage : units === usage;
}

function microUsd(text: string | string[] | undefined): number {
  return Math.round(Number(text ?? 0) * 1e6);
}
