import type { Operation } from '../catalog/operation.ts';
import { sha256Hex } from '../kernel/digest.ts';
import type { Keeping, KeptAnswer, Ticket } from '../ledger/ticket.ts';
import type { Target } from '../relay/target.ts';
import * as PaidAnswer from './paid-answer.ts';
import type { Shop } from './shop.ts';

/** The longest key that a caller may give (`Idempotency-Key`); the shortest has one character. */
export const keyCharsMax = 255;
/** A longer answer leaves as any other, but only that it was given is kept. */
const bodyBytesMax = 1024 * 1024;

/** A call that is to be made once, however often it is asked for under its key. */
export type KeyedCall = {
  key: string;
  callId: string;
  account: string;
  operation: Operation;
  target: Target;
  body: Buffer;
};

export type Refusal =
  | { kind: 'idempotency_mismatch' }
  | { kind: 'idempotency_in_flight' }
  | { kind: 'idempotency_exhausted' }
  /** It was answered, and charged, once; the answer was too large to be kept. */
  | { kind: 'answer_not_kept'; callId: string };

/** The first answer again, as it left: free, and no second call of the upstream. */
export type Replayed = {
  kind: 'replayed';
  callId: string;
  status: number;
  headers: readonly string[];
  body: Buffer;
};

/** The call is ours to make, and nobody else's. `keepsBody`: whether there is room for its answer. */
export type Started = { kind: 'started'; ticket: Ticket; keepsBody: boolean };

/** Draws the ticket of a call, durable before the upstream is asked; or says why it is not to be made. */
export async function start(
  shop: Shop,
  call: KeyedCall,
): Promise<Started | Replayed | Refusal | { kind: 'ledger_unavailable' }> {
  const { lane, tickets } = shop;
  if (!lane.ready) return { kind: 'ledger_unavailable' };
  const { callId, account, operation, target, body } = call;
  const line = `${operation.method} ${target.path}${target.query}\n`;
  const request = sha256Hex(Buffer.concat([Buffer.from(line), body]));
  const ticket = { account, key: sha256Hex(call.key), request, callId, ...lane.writer };
  const drawn = await tickets.draw(ticket).catch(() => null);
  switch (drawn?.kind) {
    case undefined:
      return { kind: 'ledger_unavailable' };
    case 'taken':
      return { kind: 'started', ticket, keepsBody: drawn.keepsBody };
    case 'kept':
      return replay(drawn.answer);
    case 'in_flight':
      return { kind: 'idempotency_in_flight' };
    case 'mismatch':
      return { kind: 'idempotency_mismatch' };
    case 'too_many':
      return { kind: 'idempotency_exhausted' };
  }
}

function replay({ callId, status, headers, body }: KeptAnswer): Replayed | Refusal {
  return body === null
    ? { kind: 'answer_not_kept', callId }
    : { kind: 'replayed', callId, status, headers, body };
}

/** What of an answer is kept with its charge; null where the next try under the key is to call anew: what passes by itself. */
export async function keep(
  shop: Shop,
  { ticket, keepsBody }: Started,
  paid: PaidAnswer.PaidAnswer,
): Promise<Keeping | null> {
  const { answer } = paid;
  if (answer.status >= 500 || answer.status === 429 || answer.status === 408) return null;
  const isSmall = answer.kind === 'answer' && answer.body.length <= bodyBytesMax;
  return {
    key: ticket.key,
    headers: await PaidAnswer.headers(shop, paid),
    body: isSmall && keepsBody ? answer.body : null,
  };
}
