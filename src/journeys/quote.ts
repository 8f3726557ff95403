import * as Advisor from '@sluice/advisor/advisor';
import { id } from '@sluice/kernel/id';
import * as AddressBlock from '../identity/address-block.ts';
import type { IdentityContext, RegistrationContext } from '../identity/identity-context.ts';
import type { Challenge } from '../payment/challenge.ts';
import { type Problem, problemOf } from '../payment/problem.ts';
import * as Proof from '../payment/proof.ts';
import * as RateLimit from '../proxy/rate-limit.ts';

/** Number of signatures of one address block that are verified in a second. */
const verificationsPerSecond = 5;

/** Advice as data, for the body of a response. */
export type Advice = Readonly<Record<string, unknown>>;

/** Parses a question. `advise` is called once the proof has been accepted. */
export type Ask = (
  body: unknown,
) =>
  | { kind: 'question'; advise: () => Promise<Advice> }
  | { kind: 'fault'; faults: readonly { field: string; message: string }[] };

/** Asks an advisor, which is trained before its first answer, in slices that delay no other request. */
export function asking(advisor: Advisor.Advisor): Ask {
  return (body) => {
    const asked = Advisor.ask(advisor, body);
    if (asked.kind === 'fault') return asked;
    return { kind: 'question', advise: () => advisor.surface.prepare().then(asked.advise) };
  };
}

/** The dependencies of a quote. */
export type QuoteContext = Pick<IdentityContext, 'clock'> &
  Pick<RegistrationContext, 'wallets'> & {
    /** The route and terms by which a wallet proves its identity for the free quote. */
    readonly proofs: Proof.ProofRoute;
    /** The same at the address of the quote that the requirement names. */
    readonly requiredProofs: Proof.ProofRoute;
    /** Limits signature verifications per address, the expensive step of a request without an account. */
    readonly verifications: RateLimit.RateLimiter;
  };

export type QuoteRequest = {
  /** The raw body, which a challenge is bound to. */
  body: Buffer;
  fields: Proof.ProofFields;
  address: string;
  advise: () => Promise<Advice>;
};

export type ProofRequired = {
  kind: 'proof_required';
  /** Null when no proof was sent. */
  reason: Proof.ProofRefusal | null;
  problem: Problem;
  challenge: Challenge;
};

export type QuoteResult =
  | ProofRequired
  /** Sign a different request; another signature does not help. */
  | { kind: 'bad_proof'; problem: Problem }
  | { kind: 'rate_limited'; retryAfterSeconds: number }
  | {
      kind: 'advised';
      advice: Advice;
      proof: Proof.ProofCandidate;
      takenAtMs: number;
    };

/** The dependencies of a quote at one of its addresses. */
type RouteContext = Omit<QuoteContext, 'requiredProofs'>;

/**
 * Gives free advice to a wallet that proves its identity: cheap checks, then the signature, then the store, which accepts a proof once. A
 * proof gives access to advice only, because a signed payment names no site and could be obtained and replayed by another one.
 */
export async function quote(shop: RouteContext, request: QuoteRequest): Promise<QuoteResult> {
  const nowMs = shop.clock();
  const reading = Proof.read(shop.proofs, request.fields, request.body, nowMs);
  switch (reading.kind) {
    case 'none':
      return ask(shop, request, null, nowMs);
    case 'many':
      return {
        kind: 'bad_proof',
        problem: problemOf(
          'bad-request',
          'The request contains more than one proof. Send only one, by one scheme.',
        ),
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
  shop: RouteContext,
  request: QuoteRequest,
  proof: Proof.ProofCandidate,
  nowMs: number,
): Promise<QuoteResult> {
  const block = AddressBlock.blockOf(request.address);
  const taken = RateLimit.take(shop.verifications, block, verificationsPerSecond, nowMs);
  if (!taken.allowed && !AddressBlock.isLoopback(request.address))
    return { kind: 'rate_limited', retryAfterSeconds: taken.retryAfterSeconds };
  if (!Proof.isSigned(proof)) return ask(shop, request, `${proof.scheme}_signer`, nowMs);
  if (!(await shop.wallets.take(proof))) return ask(shop, request, 'used', nowMs);
  return { kind: 'advised', advice: await request.advise(), proof, takenAtMs: nowMs };
}

/** Asks for a proof with a new, unique challenge. */
function ask(
  shop: Pick<RouteContext, 'proofs'>,
  { body }: QuoteRequest,
  reason: Proof.ProofRefusal | null,
  nowMs: number,
): ProofRequired {
  const problem =
    reason === null
      ? problemOf('payment-required', 'This quote is free. Sign a payment of zero to identify your wallet.')
      : Proof.problem(reason);
  const challenge = Proof.challenge(shop.proofs, body, id('prf'), nowMs);
  return { kind: 'proof_required', reason, problem, challenge };
}
