import { contentDigest } from '@sluice/kernel/digest';
import type { JsonObject } from './canonical-json.ts';
import * as Challenge from './challenge.ts';
import * as Credential from './credential.ts';
import { type Problem, type ProblemKind, problemOf } from './problem.ts';
import * as TempoProof from './tempo-proof.ts';
import * as Wallet from './wallet.ts';
import * as ExactEvm from './x402/exact-evm.ts';
import type { Network } from './x402/network.ts';
import * as Payload from './x402/payload.ts';
import * as Resource from './x402/resource.ts';

/**
 * A signed payment of zero, by either scheme. It identifies the wallet of a caller, costs nothing and is never settled.
 * A proof is valid for one route of one shop, for a few minutes, once.
 */

/** Maximum validity of a proof, and of the challenge that asks for one. */
export const lifeSeconds = 300;

/** A route that accepts proofs, and the terms that it publishes for them. */
export type ProofRoute = {
  terms: ExactEvm.AcceptedPayments;
  resource: Resource.Resource;
  realm: string;
  /** The path that a challenge of the `Payment` scheme is bound to. */
  path: string;
  tempoChainId: number;
  tempoRequest: JsonObject;
  secrets: Challenge.Secrets;
};

export type ProofSettings = {
  /** An origin without a trailing slash. */
  publicUrl: string;
  path: string;
  description: string;
  serviceName: string;
  /** The chains whose wallets can sign with x402. A client without a preference uses the first. */
  networks: readonly Network[];
  tempoChainId: number;
  secrets: Challenge.Secrets;
};

/** Returns a route whose `payTo` address is derived from its URL, so that a proof for another shop or route is rejected here. */
export function route(settings: ProofSettings): ProofRoute {
  const { publicUrl, path, description, serviceName, networks, tempoChainId } = settings;
  const url = publicUrl + path;
  const payTo = Wallet.addressOf(`payment proof for ${url}`);
  const requirement = { amount: 0n, payTo, maxTimeoutSeconds: lifeSeconds };
  return {
    terms: { resourceUrl: url, requirements: networks.map((network) => ({ network, ...requirement })) },
    resource: Resource.describeResource({ url, description, serviceName }),
    realm: new URL(publicUrl).hostname,
    path,
    tempoChainId,
    tempoRequest: TempoProof.request(payTo, tempoChainId),
    secrets: settings.secrets,
  };
}

/** Issues the challenge for one request. @param nonce unique, because each challenge is used once */
export function challenge(
  at: ProofRoute,
  body: Uint8Array,
  nonce: string,
  nowMs: number,
): Challenge.Challenge {
  const terms = bound(at);
  return Challenge.issue(
    {
      ...terms,
      opaque: { ...terms.opaque, nonce },
      digest: contentDigest(body),
      expiresAtMs: nowMs + lifeSeconds * 1000,
      description: at.resource.description,
    },
    at.secrets,
  );
}

/** Returns the terms that all challenges of this route share. */
function bound({ realm, path, tempoRequest }: ProofRoute) {
  const { method, intent } = TempoProof;
  return { realm, method, intent, request: tempoRequest, opaque: { route: path } };
}

export type ProofFields = Credential.CredentialFields & Payload.PayloadFields;

/** A proof with everything but its signature verified. Call `isSigned` next, then claim it in the store, which accepts it once. */
export type ProofCandidate = {
  wallet: string;
  /** CAIP-2. */
  chain: string;
  claimKey: string;
  expiresMs: number;
} & (
  | { scheme: 'x402'; checked: ExactEvm.CheckedPayment }
  | { scheme: 'mpp'; checked: TempoProof.CheckedProof; challengeId: string }
);

export type ProofReading =
  | { kind: 'none' }
  | { kind: 'many' }
  | { kind: 'refused'; reason: ProofRefusal }
  | { kind: 'candidate'; candidate: ProofCandidate };

export type ProofRefusal = keyof typeof reasons;

type Refusal = readonly [ProblemKind, string];

/** Every reason to refuse a proof: the problem type of the `Payment` scheme, and a text for the sender. */
export const reasons = {
  ...Payload.refusals,
  ...ExactEvm.refusals,
  ...credentialRefusals(),
  ...TempoProof.refusals,
  mpp_method: ['method-unsupported', 'This route accepts only the method "tempo" with the intent "charge".'],
  mpp_unknown: [
    'invalid-challenge',
    'This challenge was not issued by this shop, or was changed. Use the new challenge of this response.',
  ],
  mpp_foreign: [
    'invalid-challenge',
    'This challenge was issued for another route, request body or setting. Use the new challenge of this response.',
  ],
  mpp_expired: ['payment-expired', 'The challenge has expired. Use the new challenge of this response.'],
  used: ['invalid-challenge', 'This proof was already used. Sign a new one.'],
} as const satisfies Readonly<Record<string, Refusal>>;

/** Returns the problem document of a refusal. */
export function problem(reason: ProofRefusal): Problem {
  const [kind, detail] = reasons[reason];
  return problemOf(kind, detail);
}

/**
 * Reads the one proof of a request and makes all cheap checks. `body` is the raw body, which a challenge of the
 * `Payment` scheme is bound to; x402 does not bind the body. Never throws.
 */
export function read(at: ProofRoute, fields: ProofFields, body: Uint8Array, nowMs: number): ProofReading {
  const payload = Payload.read(fields);
  const credential = Credential.read(fields);
  if (payload.kind === 'many' || credential.kind === 'many') return { kind: 'many' };
  if (payload.kind !== 'none' && credential.kind !== 'none') return { kind: 'many' };
  if (payload.kind === 'malformed') return refused(payload.reason);
  if (credential.kind === 'malformed') return refused(`mpp_credential_${credential.reason}`);
  if (payload.kind === 'payload') return readX402(at, payload, nowMs);
  if (credential.kind === 'credential') return readMpp(at, credential, body, nowMs);
  return { kind: 'none' };
}

function readX402(at: ProofRoute, payload: Payload.Payload, nowMs: number): ProofReading {
  const checked = ExactEvm.check(payload, at.terms, nowMs);
  if (typeof checked === 'string') return refused(checked);
  const { requirement, claimKey, expiresMs } = checked;
  const { from: wallet } = payload.authorization;
  const chain = requirement.network.id;
  return { kind: 'candidate', candidate: { scheme: 'x402', wallet, chain, claimKey, expiresMs, checked } };
}

function readMpp(
  at: ProofRoute,
  credential: Credential.Credential,
  body: Uint8Array,
  nowMs: number,
): ProofReading {
  const { id, method, intent } = credential.challenge;
  if (method !== TempoProof.method || intent !== TempoProof.intent) return refused('mpp_method');
  const verdict = Challenge.verify(credential.challenge, at.secrets, nowMs);
  if (verdict.kind === 'malformed' || verdict.kind === 'unknown') return refused('mpp_unknown');
  const { terms } = verdict;
  if (!Challenge.matchesOffer(terms, bound(at))) return refused('mpp_foreign');
  if (verdict.kind === 'expired') return refused('mpp_expired');
  if (!Challenge.matchesBody(terms, body)) return refused('mpp_foreign');
  const checked = TempoProof.check(credential, at.tempoChainId);
  if (typeof checked === 'string') return refused(checked);
  const { wallet, chainId } = checked;
  return {
    kind: 'candidate',
    candidate: {
      scheme: 'mpp',
      wallet,
      chain: `eip155:${chainId}`,
      claimKey: `mpp ${id}`,
      expiresMs: terms.expiresAtMs,
      checked,
      challengeId: id,
    },
  };
}

/** Returns true when the wallet itself signed. Takes a millisecond or two, so rate-limit the callers. */
export function isSigned({ scheme, checked }: ProofCandidate): boolean {
  return scheme === 'x402' ? ExactEvm.isSigned(checked) : TempoProof.isSigned(checked);
}

function refused(reason: ProofRefusal): ProofReading {
  return { kind: 'refused', reason };
}

function credentialRefusals() {
  const refusals: Partial<Record<`mpp_credential_${Credential.CredentialFault}`, Refusal>> = {};
  for (const [reason, text] of Object.entries(Credential.reasons))
    refusals[`mpp_credential_${reason as Credential.CredentialFault}`] = ['malformed-credential', `${text}.`];
  return refusals as Required<typeof refusals>;
}
