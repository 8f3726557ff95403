import { createHash } from 'node:crypto';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { RequestContext } from '../request-context.ts';
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
 * Decides about a request under `key`: replay of the stored response, a refusal (400 for the key of another request, 409 while the first request is
 * running), or null for the first request of its key, which is to run.
 */
export function judge(
  ctx: RequestContext,
  running: ReadonlySet<string>,
  key: string,
  call: string,
  paramsDigest: string,
): { replay: Saved } | Refusal | null {
  forgetOld(ctx);
  if (key.length > keyCharactersMax) {
    return invalid(`An idempotency key has at most ${keyCharactersMax} characters.`);
  }
  const first = Store.get(ctx.store, saved, key);
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
export function save(ctx: RequestContext, answer: Omit<Saved, 'created'>): void {
  Store.put(ctx.store, saved, { ...answer, created: ctx.now });
}

function mismatch(how: string): Refusal {
  return refuse(400, {
    type: 'idempotency_error',
    message: `This idempotency key ${how}. Use another key for another request.`,
  });
}

function forgetOld(ctx: RequestContext): void {
  for (;;) {
    const oldest = Store.oldest(ctx.store, saved);
    if (oldest === undefined || oldest.created + keptSeconds > ctx.now) return;
    Store.remove(ctx.store, saved, oldest.id);
  }
}
