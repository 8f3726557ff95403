import { sha256Hex } from '@sluice/kernel/digest';
import type { Target } from '@sluice/kernel/request-target';
import type { Operation } from '../catalog/operation.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { IdempotencyKey, ResponseToStore, StoredResponse } from '../ledger/idempotency-key.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as PaidResponse from './paid-response.ts';

/** A longer response is delivered as usual, but only the fact that it was delivered is stored. */
const bodyBytesMax = 1024 * 1024;

/** A call that is made once, however often it is requested with its key. */
export type IdempotentCall = {
  key: string;
  callId: string;
  account: string;
  operation: Operation;
  target: Target;
  body: Buffer;
};

export type IdempotencyRefusal =
  | { kind: 'idempotency_mismatch' }
  | { kind: 'idempotency_in_flight' }
  | { kind: 'idempotency_exhausted' }
  /** The call was made and charged once; its response was too large to be stored. */
  | { kind: 'answer_not_kept'; callId: string };

/** The stored first response. It is free, and the upstream is not called again. */
export type Replayed = {
  kind: 'replayed';
  callId: string;
  status: number;
  headers: readonly string[];
  body: Buffer;
};

/** This request may make the call. `keepsBody`: there is space to store the body of its response. */
export type Started = { kind: 'started'; idempotencyKey: IdempotencyKey; keepsBody: boolean };

/** Claims the idempotency key of a call durably before the upstream is called, or returns why the call must not be made. */
export async function start(
  shop: Pick<LedgerContext, 'idempotencyKeys' | 'writer'>,
  call: IdempotentCall,
): Promise<Started | Replayed | IdempotencyRefusal | { kind: 'ledger_unavailable' }> {
  const { writer, idempotencyKeys } = shop;
  if (!writer.ready) return { kind: 'ledger_unavailable' };
  const { callId, account, operation, target, body } = call;
  const line = `${operation.method} ${target.path}${target.query}\n`;
  const request = sha256Hex(Buffer.concat([Buffer.from(line), body]));
  const idempotencyKey = { account, key: sha256Hex(call.key), request, callId, ...writer.writer };
  const claimed = await idempotencyKeys.claim(idempotencyKey).catch(() => null);
  switch (claimed?.kind) {
    case undefined:
      return { kind: 'ledger_unavailable' };
    case 'taken':
      return { kind: 'started', idempotencyKey, keepsBody: claimed.keepsBody };
    case 'kept':
      return replay(claimed.response);
    case 'in_flight':
      return { kind: 'idempotency_in_flight' };
    case 'mismatch':
      return { kind: 'idempotency_mismatch' };
    case 'too_many':
      return { kind: 'idempotency_exhausted' };
  }
}

function replay({ callId, status, headers, body }: StoredResponse): Replayed | IdempotencyRefusal {
  return body === null
    ? { kind: 'answer_not_kept', callId }
    : { kind: 'replayed', callId, status, headers, body };
}

/** Returns the parts of a response that are stored with its charge; null for a temporary failure, after which a retry with the key calls the upstream again. */
export async function keep(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'>,
  { idempotencyKey, keepsBody }: Started,
  paid: PaidResponse.PaidResponse,
): Promise<ResponseToStore | null> {
  const { response } = paid;
  if (response.status >= 500 || response.status === 429 || response.status === 408) return null;
  const isSmall = response.kind === 'whole' && response.body.length <= bodyBytesMax;
  return {
    key: idempotencyKey.key,
    headers: await PaidResponse.headers(shop, paid),
    body: isSmall && keepsBody ? response.body : null,
  };
}
