import { createHash } from 'node:crypto';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Act } from '../act.ts';
import * as Store from '../store.ts';
import { invalid, type Refusal, refuse } from './refusal.ts';

/** The first answer under a key, kept to be given again. */
export type Saved = {
  /** The key itself. */
  id: string;
  /** `POST /v1/refunds`. */
  call: string;
  paramsDigest: string;
  status: ContentfulStatusCode;
  body: string;
  requestId: string;
  created: number;
};

const saved = Store.table<Saved>('idempotency_keys');
const keptSeconds = 24 * 3_600;
const keyCharactersMax = 255;

/** The digest of a request's parameters, in whatever order they were sent. */
export function digest(params: string): string {
  const pairs = [...new URLSearchParams(params)].map((pair) => JSON.stringify(pair)).sort();
  return createHash('sha256').update(pairs.join('\n')).digest('hex');
}

/**
 * What becomes of a request under `key`: the saved answer again, a refusal (another request's key: 400; the same key
 * still at work: 409), or null where it is the first of its key and is to run.
 */
export function judge(
  act: Act,
  running: ReadonlySet<string>,
  key: string,
  call: string,
  paramsDigest: string,
): { replay: Saved } | Refusal | null {
  forgetOld(act);
  if (key.length > keyCharactersMax) {
    return invalid(`An idempotency key has at most ${keyCharactersMax} characters.`);
  }
  const first = Store.get(act.store, saved, key);
  if (first !== undefined && first.call !== call) {
    return mismatch(`was first used for another endpoint (${first.call}, not ${call})`);
  }
  if (first !== undefined && first.paramsDigest !== paramsDigest)
    return mismatch('was first used with other parameters');
  if (first !== undefined) return { replay: first };
  if (running.has(key)) {
    return refuse(409, {
      type: 'invalid_request_error',
      code: 'idempotency_key_in_use',
      message: 'Another request with this idempotency key is still in progress. Try again later.',
    });
  }
  return null;
}

/** Keeps the answer, whatever its status: also a 500 is given again. */
export function save(act: Act, answer: Omit<Saved, 'created'>): void {
  Store.put(act.store, saved, { ...answer, created: act.now });
}

function mismatch(how: string): Refusal {
  return refuse(400, {
    type: 'idempotency_error',
    message: `This idempotency key ${how}. Use another key for another request.`,
  });
}

function forgetOld(act: Act): void {
  for (;;) {
    const oldest = Store.oldest(act.store, saved);
    if (oldest === undefined || oldest.created + keptSeconds > act.now) return;
    Store.remove(act.store, saved, oldest.id);
  }
}
