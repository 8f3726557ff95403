import { contentDigest } from '../kernel/digest.ts';
import type { JsonObject } from './canonical-json.ts';
import * as Challenge from './challenge.ts';
import * as Credential from './credential.ts';
import * as Problem from './problem.ts';
import * as TempoProof from './tempo-proof.ts';
import * as Wallet from './wallet.ts';
import * as ExactEvm from './x402/exact-evm.ts';
import type { Network } from './x402/network.ts';
import * as Payload from './x402/payload.ts';
import * as Resource from './x402/resource.ts';

/**
 * A signed payment of nothing, by either scheme: it says which wallet asks, costs nobody anything, and is never settled.
 * It fits one route of one shop, for a few minutes, once.
 */

/** How long a proof may be asked for and be valid. */
export const lifeSeconds = 300;

/** A route that takes proofs, and what it publishes about them. */
export type Route = {
  terms: ExactEvm.Terms;
  resource: Resource.Resource;
  realm: string;
  /** The path, which a challenge of the `Payment` scheme is bound to. */
  path: string;
  tempoChainId: number;
  tempoRequest: JsonObject;
  secrets: Challenge.Secrets;
};

export type Settings = {
  /** An origin without a trailing slash. */
  publicUrl: string;
  path: string;
  description: string;
  serviceName: string;
  /** The chains whose wallets may sign by x402; the first is what a client takes that has no preference. */
  networks: readonly Network[];
  tempoChainId: number;
  secrets: Challenge.Secrets;
};

/** The address that proofs are made out to is of this shop and route alone: a proof for another does not fit here. */
export function route(settings: Settings): Route {
  const { publicUrl, path, description, serviceName, networks, tempoChainId } = settings;
  const url = publicUrl + path;
  const payTo = Wallet.addressOf(`payment proof for ${url}`);
  const requirement = { amount: 0n, payTo, maxTimeoutSeconds: lifeSeconds };
  return {
    terms: { resourceUrl: url, requirements: networks.map((network) => ({ network, ...requirement })) },
    resource: Resource.of({ url, description, serviceName }),
    realm: new URL(publicUrl).hostname,
    path,
    tempoChainId,
    tempoRequest: TempoProof.request(payTo, tempoChainId),
    secrets: settings.secrets,
  };
}

/** The challenge for one request. @param nonce unique: a challenge is answered once */
export function challenge(at: Route, body: Uint8Array, nonce: string, nowMs: number): Challenge.Challenge {
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

/** What a challenge of this route says, whichever request it was issued for. */
function bound({ realm, path, tempoRequest }: Route) {
  const { method, intent } = TempoProof;
  return { realm, method, intent, request: tempoRequest, opaque: { route: path } };
}

export type Fields = Credential.Fields & Payload.Fields;

/** All of a proof but its signature holds: `isSigned` is the last word, and the store's, which lets it in once. */
export type Candidate = {
  wallet: string;
  /** CAIP-2. */
  chain: string;
  claimKey: string;
  expiresMs: number;
} & (
  | { scheme: 'x402'; checked: ExactEvm.Checked }
  | { scheme: 'mpp'; checked: TempoProof.Checked; challengeId: string }
);

export type Reading =
  | { kind: 'none' }
  | { kind: 'many' }
  | { kind: 'refused'; reason: Reason }
  | { kind: 'candidate'; candidate: Candidate };

export type Reason = keyof typeof reasons;

type Refusal = readonly [Problem.Kind, string];

/** Every way to refuse a proof: the problem type of the `Payment` scheme, and words for the sender. */
export const reasons = {
  ...Payload.refusals,
  ...ExactEvm.refusals,
  ...credentialRefusals(),
  ...TempoProof.refusals,
  mpp_method: ['method-unsupported', 'This route takes the method "tempo" with the intent "charge".'],
  mpp_unknown: ['invalid-challenge', 'This challenge was not issued here, or was changed.'],
  mpp_foreign: ['invalid-challenge', 'This challenge was issued for another route, body or setting.'],
  mpp_expired: ['payment-expired', 'The challenge has expired.'],
  used: ['invalid-challenge', 'This proof has been used; sign another.'],
} as const satisfies Readonly<Record<string, Refusal>>;

/** The problem document of a refusal. */
export function problem(reason: Reason): Problem.Problem {
  const [kind, detail] = reasons[reason];
  return Problem.of(kind, detail);
}

/**
 * Reads the one proof of a request and checks all that is cheap. `body`: the raw body, which a challenge of the
 * `Payment` scheme is bound to; x402 binds none. Never throws.
 */
export function read(at: Route, fields: Fields, body: Uint8Array, nowMs: number): Reading {
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

function readX402(at: Route, payload: Payload.Payload, nowMs: number): Reading {
  const checked = ExactEvm.check(payload, at.terms, nowMs);
  if (typeof checked === 'string') return refused(checked);
  const { requirement, claimKey, expiresMs } = checked;
  const { from: wallet } = payload.authorization;
  const chain = requirement.network.id;
  return { kind: 'candidate', candidate: { scheme: 'x402', wallet, chain, claimKey, expiresMs, checked } };
}

function readMpp(at: Route, credential: Credential.Credential, body: Uint8Array, nowMs: number): Reading {
  const { id, method, intent } = credential.challenge;
  if (method !== TempoProof.method || intent !== TempoProof.intent) return refused('mpp_method');
  const verdict = Challenge.verify(credential.challenge, at.secrets, nowMs);
  if (verdict.kind === 'malformed' || verdict.kind === 'unknown') return refused('mpp_unknown');
  const { terms } = verdict;
  if (!Challenge.fits(terms, bound(at))) return refused('mpp_foreign');
  if (verdict.kind === 'expired') return refused('mpp_expired');
  if (!Challenge.binds(terms, body)) return refused('mpp_foreign');
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

/** Whether the wallet itself signed. A millisecond or two of work: limit who may ask. */
export function isSigned({ scheme, checked }: Candidate): boolean {
  return scheme === 'x402' ? ExactEvm.isSigned(checked) : TempoProof.isSigned(checked);
}

function refused(reason: Reason): Reading {
  return { kind: 'refused', reason };
}

function credentialRefusals() {
  const refusals: Partial<Record<`mpp_credential_${Credential.Reason}`, Refusal>> = {};
  for (const [reason, text] of Object.entries(Credential.reasons))
    refusals[`mpp_credential_${reason as Credential.Reason}`] = ['malformed-credential', `${text}.`];
  return refusals as Required<typeof refusals>;
}
