import * as AddressBlock from '../identity/address-block.ts';
import { id } from '../kernel/id.ts';
import type { Challenge } from '../payment/challenge.ts';
import * as Problem from '../payment/problem.ts';
import * as Proof from '../payment/proof.ts';
import * as RateLimit from '../relay/rate-limit.ts';
import type { Shop } from './shop.ts';
import { type SignedIn, signIn } from './wallet-sign-in.ts';

/** How many signatures of one address block are verified in a second. */
const verificationsPerSecond = 5;

/** Advice as data, for the body of an answer. */
export type Advice = Readonly<Record<string, unknown>>;

/** Reads a question. What it gives is asked for its advice once the proof has been taken. */
export type Ask = (
  body: unknown,
) =>
  | { kind: 'question'; advise: () => Advice }
  | { kind: 'fault'; faults: readonly { field: string; message: string }[] };

/** What the story of a quote needs of the shop. */
export type QuoteShop = Shop;

export type QuoteRequest = {
  /** The raw body, as a challenge is bound to it. */
  body: Buffer;
  fields: Proof.Fields;
  address: string;
  advise: () => Advice;
};

export type ProofRequired = {
  kind: 'proof_required';
  /** Null where there was no proof. */
  reason: Proof.Reason | null;
  problem: Problem.Problem;
  challenge: Challenge;
};

export type QuoteAnswer =
  | ProofRequired
  /** Another request is needed, not another signature. */
  | { kind: 'bad_proof'; problem: Problem.Problem }
  | { kind: 'rate_limited'; retryAfterSeconds: number }
  | { kind: 'registration_limited'; retryAfterSeconds: number }
  | {
      kind: 'advised';
      advice: Advice;
      proof: Proof.Candidate;
      signedIn: SignedIn;
      takenAtMs: number;
    };

/** Free advice for whoever proves a wallet: cheap checks, then the signature, then the store, which takes a proof once. */
export async function run(shop: QuoteShop, request: QuoteRequest): Promise<QuoteAnswer> {
  const nowMs = shop.clock();
  const reading = Proof.read(shop.proofs, request.fields, request.body, nowMs);
  switch (reading.kind) {
    case 'none':
      return ask(shop, request, null, nowMs);
    case 'many':
      return {
        kind: 'bad_proof',
        problem: Problem.of('bad-request', 'More than one payment: send one, by one scheme.'),
      };
    case 'refused':
      return reading.reason === 'mpp_method'
        ? { kind: 'bad_proof', problem: Proof.problem(reading.reason) }
        : ask(shop, request, reading.reason, nowMs);
    case 'candidate':
      return take(shop, request, reading.candidate, nowMs);
  }
}

async function take(
  shop: QuoteShop,
  request: QuoteRequest,
  proof: Proof.Candidate,
  nowMs: number,
): Promise<QuoteAnswer> {
  const block = AddressBlock.of(request.address);
  const taken = RateLimit.take(shop.verifications, block, verificationsPerSecond, nowMs);
  if (!taken.allowed && !AddressBlock.isLoopback(request.address))
    return { kind: 'rate_limited', retryAfterSeconds: taken.retryAfterSeconds };
  if (!Proof.isSigned(proof)) return ask(shop, request, `${proof.scheme}_signer`, nowMs);
  const signedIn = await signIn(shop, proof, request.address);
  switch (signedIn.kind) {
    case 'used':
      return ask(shop, request, 'used', nowMs);
    case 'refused':
      return { kind: 'registration_limited', retryAfterSeconds: signedIn.retryAfterSeconds };
    case 'signed_in':
      return { kind: 'advised', advice: request.advise(), proof, signedIn, takenAtMs: nowMs };
  }
}

/** Asks for a proof, by a challenge that nobody else has. */
function ask(
  shop: QuoteShop,
  { body }: QuoteRequest,
  reason: Proof.Reason | null,
  nowMs: number,
): ProofRequired {
  const problem =
    reason === null
      ? Problem.of('payment-required', 'This is free; sign a payment of zero, so that we know who asks.')
      : Proof.problem(reason);
  const challenge = Proof.challenge(shop.proofs, body, id('prf'), nowMs);
  return { kind: 'proof_required', reason, problem, challenge };
}
