import { hint } from '@sluice/kernel/did-you-mean';
import { id, secret, secretDigest } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import type { Texts } from '../text/texts.ts';
import * as AccessToken from './access-token.ts';
import { type Claims, clockToleranceSeconds, holderId } from './jwt.ts';
import type { Role } from './team/role.ts';
import type { Actor } from './team/team.ts';

/** Maximum number of active keys per account. */
export const keysMax = 100;
const nameCharsMax = 100;
const prefix = 'slk';
const written = /^bearer (slk_[\w-]{43})$/i;
const hintChars = 4;

/** The limits of a key; null: no limit beyond the account's. */
export type KeyLimits = {
  name: string;
  /** Maximum value of all its calls at list prices, whether credit or a plan's units pay for them. */
  budget: Money.Money | null;
  /** Slugs of the services that the key can call. */
  services: readonly string[] | null;
  expiresMs: number | null;
};

/**
 * A long-lived bearer token that an account created for one of its programs. It holds no money of its own. `creator`: the person who created
 * it, whose role limits what it may do beside calls and purchases; null for the account's own tokens.
 */
export type AccountKey = KeyLimits & { id: string; account: string; creator: Creator | null };

/** `epoch` is null when the person is no longer in the account. */
export type Creator = { id: string; role: Role; epoch: number | null };
/** The role of a person who was removed and whose key was not revoked. */
export const roleOfRemoved: Role = 'developer';

/** A key as its owner sees it. `hint`: the last characters of the key. `spent`: the value of its calls so far. */
export type ListedKey = AccountKey & {
  hint: string;
  createdMs: number;
  spent: Money.Money;
  /** The address of the person who created it; null for the account's own tokens, and for a person who was removed. */
  creatorEmail: string | null;
};

/** The store of keys. It contains digests only. */
export interface AccountKeys {
  /** Returns the time of creation, or null when the account has `keysMax` active keys, or the creator was removed meanwhile. */
  add(key: AccountKey, digest: string, hint: string): Promise<number | null>;
  /** Returns the key with this digest and the account it belongs to after joins; null when it is unknown or revoked. */
  find(digest: string): Promise<AccountKey | null>;
  /** Returns the active keys, oldest first. */
  of(account: string): Promise<ListedKey[]>;
  /**
   * Ends a key. Returns false when the account has no such key. Takes effect when the revocation has been announced as well.
   * @param creator with an id, only a key that this person created
   */
  end(account: string, id: string, creator: string | null, by: Actor): Promise<boolean>;
}

/** Creates a key. Its secret is shown to the owner once; only the digest is stored. */
export function make(
  account: string,
  creator: Creator | null,
  limits: KeyLimits,
): { key: AccountKey; secret: string; digest: string; hint: string } {
  const bearer = secret(prefix, account);
  return {
    key: { ...limits, id: id('key', account), account, creator },
    secret: bearer,
    digest: secretDigest(bearer),
    hint: bearer.slice(-hintChars),
  };
}

/** Returns the digest of the key in an Authorization header, or null when the header has no key. */
export function digestIn(header: string): string | null {
  const bearer = written.exec(header)?.[1];
  return bearer === undefined ? null : secretDigest(bearer);
}

/**
 * Returns the claims of a caller with this key, or null when the key has expired. The claims live no longer than an access token:
 * revocations are kept in memory for that long.
 */
export function claims(key: AccountKey, nowMs: number): Claims | null {
  if (key.expiresMs !== null && key.expiresMs <= nowMs) return null;
  const lifeMs = AccessToken.lifeSeconds * 1000;
  const endMs = Math.min(key.expiresMs ?? Number.POSITIVE_INFINITY, nowMs + lifeMs);
  // The cache tolerates clocks that differ; this time is our own.
  const expiresMs = endMs - clockToleranceSeconds * 1000;
  const { account, creator } = key;
  const epoch = creator?.epoch ?? null;
  const member = creator && { id: creator.id, role: creator.role };
  // A change of the creator's role makes every process read the key again.
  const holder = member === null || epoch === null ? key.id : holderId({ account, member, epoch });
  const ids = { account, sid: key.id, jti: key.id, holder, member, epoch: epoch ?? 0 };
  return { ...ids, isApplication: false, issuedMs: nowMs, expiresMs, key };
}

export type AccountKeyFault = { field: string; message: string };

const keyFields = ['name', 'budget_usd', 'services', 'expires_at'];

/** Reads the request body for a new key. `services`: the slugs of the catalogue. */
export function parse(
  texts: Texts,
  value: unknown,
  services: readonly string[],
  nowMs: number,
): { kind: 'limits'; limits: KeyLimits } | { kind: 'faults'; faults: AccountKeyFault[] } {
  const faults: AccountKeyFault[] = [];
  const refuse = (field: string, message: string) => {
    faults.push({ field, message });
    return null;
  };
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  const { name, budget_usd, services: wanted, expires_at, ...rest } = fields as Record<string, unknown>;
  for (const field of Object.keys(rest)) refuse(field, `Unknown field. ${hint(field, keyFields)}`);

  const isName = typeof name === 'string' && name.trim() !== '' && name.length <= nameCharsMax;
  if (!isName) refuse('name', texts.text('fault.key_name', { maximum: String(nameCharsMax) }));
  const readBudget = () => {
    if (budget_usd == null) return null;
    const budget = typeof budget_usd === 'string' ? Money.parse(budget_usd) : null;
    return budget || refuse('budget_usd', texts.text('fault.amount_above_zero'));
  };
  const readServices = () => {
    if (wanted == null) return null;
    if (!Array.isArray(wanted) || wanted.length === 0)
      return refuse('services', texts.text('fault.services'));
    const strange = wanted.findIndex((slug) => !services.includes(slug));
    if (strange < 0) return [...new Set<string>(wanted)];
    const sent: unknown = wanted[strange];
    const shown = hint(typeof sent === 'string' ? sent : '', services, 'Services');
    return refuse(`services[${strange}]`, `No such service. ${shown}`);
  };
  const readExpiry = () => {
    if (expires_at == null) return null;
    const ms =
      typeof expires_at === 'string' && isoTime.test(expires_at) ? Date.parse(expires_at) : Number.NaN;
    return ms > nowMs ? ms : refuse('expires_at', texts.text('fault.future'));
  };
  const limits = {
    name: isName ? name.trim() : '',
    budget: readBudget(),
    services: readServices(),
    expiresMs: readExpiry(),
  };
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'limits', limits };
}

/** RFC 3339. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
