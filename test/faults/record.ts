import { createHash } from 'node:crypto';
import type { Attempt } from './attempt.ts';
import { isStreamed, StreamRecord } from './stream-record.ts';
import { isStream } from './stream-upstream.ts';
import { type Asked, rightBody } from './upstream.ts';

/** A call as its caller saw it in a complete response. */
export type Told = {
  account: number;
  units: number;
  costMicroUsd: number;
  key: string | null;
  startsJob: boolean;
};

/** The first complete response under an Idempotency-Key. */
type First = {
  account: number;
  asked: Asked;
  call: string /** Digest of the whole response. */;
  gist: string;
  isSmall: boolean;
};

/** The error codes that callers may receive during faults. */
const refusals = new Set([
  ...['credit_exhausted', 'credit_in_flight', 'budget_exhausted', 'plan_required'],
  ...['ledger_unavailable', 'unavailable', 'busy', 'upstream_unavailable', 'upstream_timeout'],
  ...['idempotency_in_flight', 'answer_not_kept', 'token_invalid'],
  // A process that was paused finds calls that have waited too long for a connection.
  'too_many_calls_under_way',
  // A wrong response has no count, and accounts whose callers leave often may have to wait.
  ...['response_uncountable', 'ownership_unclear', 'too_many_unpaid', 'too_many_uncountable'],
]);
/** Maximum length of bodies that are stored under a key, for counted responses and for responses that stream when they are longer. */
const keptBytesMax = {
  '/v1/list': 1024 * 1024,
  '/v1/file': 16 * 1024,
  '/v1/job': 1024 * 1024,
  '/v1/stream': 1024 * 1024,
  '/v1/lines': 1024 * 1024,
};

/** The responses that all callers of a run received, and the inconsistencies that were visible at once. */
export class Record {
  readonly told = new Map<string, Told>();
  readonly streamed = new StreamRecord();
  readonly breaches: string[] = [];
  readonly counts: { [what: string]: number } = {};
  /** Number of callers of each account that left before they had a complete response. */
  readonly left = new Map<number, number>();
  /** Accounts that were refused for lack of credit, or of their key's budget, since the last check. */
  readonly wanting = { credit: new Set<number>(), budget: new Set<number>() };
  longestWaitMs = 0;
  readonly #firsts = new Map<string, First>();
  /** Calls whose response arrived as the original, not as a replay. */
  readonly #firstHand = new Set<string>();

  /** Records the outcome of an attempt. Returns true when the response is final. */
  take(account: number, asked: Asked, key: string | null, attempt: Attempt): boolean {
    this.longestWaitMs = Math.max(this.longestWaitMs, attempt.waitedMs);
    if (isStreamed(attempt)) return this.streamed.take(account, asked, key, attempt);
    if (attempt.kind === 'broken') {
      this.#count(attempt.left ? 'left by its caller' : 'broken off');
      if (attempt.left) this.left.set(account, (this.left.get(account) ?? 0) + 1);
      return false;
    }
    const { status, headers, body } = attempt;
    const call = headers['storefront-call'];
    if (typeof call !== 'string') {
      const code = codeOf(body);
      this.#count(`${status} ${code}`);
      if (code === 'credit_exhausted') this.wanting.credit.add(account);
      if (code === 'budget_exhausted') this.wanting.budget.add(account);
      if (!refusals.has(code)) this.breaches.push(`${asked.id} was refused with ${status} ${code}`);
      if (status === 503 && headers['retry-after'] === undefined)
        this.breaches.push(`${asked.id}: 503 ${code} without Retry-After`);
      return ['answer_not_kept', 'credit_exhausted', 'budget_exhausted'].includes(code);
    }
    const told = {
      account,
      units: Number(headers['storefront-units']),
      costMicroUsd: Math.round(Number(headers['storefront-cost-usd']) * 1e6),
      key,
      startsJob: asked.path === '/v1/job' && status === 202,
    };
    const isReplay = headers['idempotent-replayed'] === 'true';
    this.#count(isReplay ? 'given again' : `answered ${status}`);
    if (status === 200 && isStream(asked)) this.breaches.push(`${asked.id} is no stream`);
    if (status === 200 && asked.act !== 'wrong' && !isRight(asked, body))
      this.breaches.push(`${asked.id} was given another answer than its own`);
    const before = this.told.get(call);
    // A replay by another process may arrive before the response that it repeats.
    if (!isReplay && this.#firstHand.has(call)) this.breaches.push(`${call} was told twice`);
    if (!isReplay) this.#firstHand.add(call);
    if (before && (before.units !== told.units || before.costMicroUsd !== told.costMicroUsd))
      this.breaches.push(`${call} costs something else when it is given again`);
    this.told.set(call, told);
    if (key !== null && status < 500) this.#compare({ account, asked, key, call }, attempt);
    return status < 500;
  }

  /** Checks that all responses under one key are equal, unless the first was too large to be stored and was reversed. */
  #compare(
    { key, ...named }: Pick<First, 'account' | 'asked' | 'call'> & { key: string },
    { status, headers, body }: Extract<Attempt, { kind: 'whole' }>,
  ): void {
    const { call, asked } = named;
    // A response without a length streams too, unless it is counted.
    const isSmall = headers['content-length'] !== undefined && body.length <= keptBytesMax[asked.path];
    const { date, connection, 'keep-alive': _, 'idempotent-replayed': __, ...own } = headers;
    const gist = createHash('sha1')
      .update(`${status} ${JSON.stringify(own)} `)
      .update(body)
      .digest('base64');
    const first = this.#firsts.get(key);
    if (!first || (!first.isSmall && first.call !== call)) this.#firsts.set(key, { ...named, gist, isSmall });
    else if (first.gist !== gist) this.breaches.push(`${key} gives ${first.call}, then ${call}`);
  }

  /** Returns the keys whose response is stored, and the call that they name. */
  kept(): (First & { key: string })[] {
    return [...this.#firsts].flatMap(([key, first]) => (first.isSmall ? [{ key, ...first }] : []));
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

function codeOf(body: Buffer): string {
  try {
    return String(JSON.parse(body.toString()).code);
  } catch {
    return 'no JSON';
  }
}

function isRight(asked: Asked, body: Buffer): boolean {
  const count = asked.act === 'too many' ? asked.max + 7 : asked.count;
  const right = rightBody({ ...asked, count });
  return body.length === right.length && body.toString('latin1') === right;
}
