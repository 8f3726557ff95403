import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import * as Fields from 'structured-headers';
import * as MessageSignature from './message-signature.ts';

const tag = 'web-bot-auth';
const skewSeconds = 30;
/** Longest life of a signature; the drafts recommend no more. */
const lifeSecondsMax = 24 * 3_600;
const signaturesMax = 4;
const keysMax = 64;
/** The public example key of RFC 9421, whose private key everybody knows. */
const exampleKeyId = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';

/** Why a signed request counts as one of an unknown caller. */
export type UnrecognisedReason =
  /** A field cannot be parsed. */
  | 'malformed'
  /** `Signature-Agent` names no origin, or names one whose directory the shop does not trust. */
  | 'agent_not_trusted'
  /** `@authority` or the agent's member of `Signature-Agent` is not covered. */
  | 'component_missing'
  /** A covered component is absent from the request, repeated, or not supported. */
  | 'component_unusable'
  /** `created`, `expires` or `keyid` is absent, or `alg` is not ed25519. */
  | 'parameters'
  /** Created in the future, expired, or valid for more than 24 hours. */
  | 'time'
  | 'directory_unreadable'
  | 'key_unknown'
  /** The signature is of another message: another shop, another agent, or a changed header. */
  | 'signature'
  /** It was used before. */
  | 'used'
  /** The agent has used up its own limit. */
  | 'limit';

export type Recognition =
  | { kind: 'unsigned' }
  | { kind: 'unrecognised'; reason: UnrecognisedReason }
  /** `use`: lets the signature be used once, until it expires. */
  | { kind: 'recognised'; agent: string; use: { id: string; expiresMs: number } };

/** The Ed25519 keys of agents, from their key directories. */
export interface AgentDirectories {
  /** @param agent the origin of a trusted agent */
  find(
    agent: string,
    keyId: string,
    nowMs: number,
  ): Promise<{ kind: 'key'; key: KeyObject } | { kind: 'unknown' | 'unreadable' }>;
  close(): Promise<void>;
}

export type AgentKeys = ReadonlyMap<string, { key: KeyObject; fromMs: number; untilMs: number }>;

type Trust = { directories: AgentDirectories; trusted: readonly string[] };

/**
 * Recognises a trusted agent by a signature of its request (draft-ietf-webbotauth-httpsig-protocol). Only the directories of `trusted` origins are
 * read. A failure is a result, never an error: the request then counts as unsigned.
 */
export async function recognise(
  trust: Trust,
  request: MessageSignature.SignedRequest,
  nowMs: number,
): Promise<Recognition> {
  if (trust.trusted.length === 0 || request.values('signature-input').length === 0)
    return { kind: 'unsigned' };
  const all = MessageSignature.parse(request);
  if (all === null) return unrecognised('malformed');
  const own = all.filter(({ input: [, parameters] }) => parameters.get('tag') === tag);
  let first: Recognition = { kind: 'unsigned' };
  for (const signature of own.slice(0, signaturesMax)) {
    const found = await check(trust, request, signature, nowMs);
    if (found.kind === 'recognised') return found;
    if (first.kind === 'unsigned') first = found;
  }
  return first;
}

async function check(
  { directories, trusted }: Trust,
  request: MessageSignature.SignedRequest,
  signature: MessageSignature.MessageSignature,
  nowMs: number,
): Promise<Recognition> {
  const [components, parameters] = signature.input;
  const isCovered = components.some(([name, { size }]) => name === '@authority' && size === 0);
  const agent = isCovered ? agentOf(request, signature) : 'component_missing';
  if (typeof agent === 'string') return unrecognised(agent);
  if (agent === null || !trusted.includes(agent.origin)) return unrecognised('agent_not_trusted');
  const [created, expires, keyId] = ['created', 'expires', 'keyid'].map((name) => parameters.get(name));
  const hasAlgorithm = ['ed25519', undefined].includes(parameters.get('alg') as string | undefined);
  if (!isSeconds(created) || !isSeconds(expires) || typeof keyId !== 'string' || !hasAlgorithm)
    return unrecognised('parameters');
  const now = nowMs / 1_000;
  if (created > now + skewSeconds || expires <= now || expires - created > lifeSecondsMax)
    return unrecognised('time');
  const base = MessageSignature.parsed(() => MessageSignature.base(request, signature));
  if (base === null) return unrecognised('component_unusable');
  const found = await directories.find(agent.origin, keyId, nowMs);
  if (found.kind !== 'key')
    return unrecognised(found.kind === 'unknown' ? 'key_unknown' : 'directory_unreadable');
  if (!MessageSignature.isSignedBy(found.key, base, signature.bytes)) return unrecognised('signature');
  const nonce = parameters.get('nonce');
  const once = typeof nonce === 'string' ? `nonce ${nonce}` : `base ${base}`;
  const id = `agent ${sha256(`${agent.origin}\n${keyId}\n${once}`)}`;
  return { kind: 'recognised', agent: agent.origin, use: { id, expiresMs: expires * 1_000 } };
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function unrecognised(reason: UnrecognisedReason): Recognition {
  return { kind: 'unrecognised', reason };
}

/**
 * Returns the origin that a signature's own member of `Signature-Agent` names. Only a member that the signature covers counts: the one with
 * the label of the signature, or the only one that is covered. Earlier drafts have a string in place of the dictionary.
 */
function agentOf(
  request: MessageSignature.SignedRequest,
  { label, input: [components] }: MessageSignature.MessageSignature,
): { origin: string } | null | 'component_missing' | 'malformed' {
  const covered = components.filter(([name]) => name === 'signature-agent');
  if (covered.length === 0) return 'component_missing';
  const text = MessageSignature.combined(request, 'signature-agent');
  if (text === null) return null;
  if (text.startsWith('"')) {
    const item = MessageSignature.parsed(() => Fields.parseItem(text));
    return item === null ? 'malformed' : originOf(item);
  }
  const members = MessageSignature.dictionary(request, 'signature-agent');
  if (members === null) return 'malformed';
  const isWhole = covered.some(([, { size }]) => size === 0);
  const keys = isWhole ? [...members.keys()] : covered.map(([, parameters]) => parameters.get('key'));
  const key = keys.includes(label) ? label : keys.length === 1 ? keys[0] : undefined;
  const member = typeof key === 'string' ? members.get(key) : undefined;
  return member === undefined ? 'component_missing' : originOf(member);
}

/** Returns the origin of a member of the type `directory`, which is the default. Other types are ignored, as the draft requires. */
function originOf([value, parameters]: Fields.Item | Fields.InnerList): { origin: string } | null {
  const type = parameters.get('type');
  const isDirectory = type === undefined || (type instanceof Fields.Token && type.toString() === 'directory');
  if (typeof value !== 'string' || !isDirectory) return null;
  const origin = URL.parse(value)?.origin;
  return origin !== undefined && (value === origin || value === `${origin}/`) ? { origin } : null;
}

/** Reads the keys of a directory by their thumbprint (RFC 7638, RFC 8037); null when it is no key set. Keys of other types are ignored. */
export function readDirectory(document: unknown): AgentKeys | null {
  const listed = memberOf(document, 'keys');
  if (!Array.isArray(listed) || listed.length > keysMax) return null;
  const keys = new Map<string, { key: KeyObject; fromMs: number; untilMs: number }>();
  for (const one of listed) {
    const x = memberOf(one, 'x');
    const [use, from, until] = ['use', 'nbf', 'exp'].map((name) => memberOf(one, name));
    const isUsable = memberOf(one, 'kty') === 'OKP' && memberOf(one, 'crv') === 'Ed25519';
    if (!isUsable || typeof x !== 'string' || (use !== undefined && use !== 'sig')) continue;
    if (Buffer.from(x, 'base64url').length !== 32 || Buffer.from(x, 'base64url').toString('base64url') !== x)
      continue;
    const jwk = { crv: 'Ed25519', kty: 'OKP', x };
    const keyId = sha256(JSON.stringify(jwk));
    if (keyId === exampleKeyId) continue;
    keys.set(keyId, {
      key: createPublicKey({ key: jwk, format: 'jwk' }),
      fromMs: from === undefined ? 0 : Number(from) * 1_000,
      untilMs: until === undefined ? Number.POSITIVE_INFINITY : Number(until) * 1_000,
    });
  }
  return keys;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
