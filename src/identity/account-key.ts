import { sha256Hex } from '../kernel/digest.ts';
import { id, secret } from '../kernel/id.ts';
import * as Money from '../kernel/money.ts';
import { nearest } from '../kernel/nearest.ts';
import * as AccessToken from './access-token.ts';
import { type Claims, clockToleranceSeconds } from './jwt.ts';

/** The most keys of an account that are in force. */
export const keysMax = 100;
const nameCharsMax = 100;
const prefix = 'slk';
const written = /^bearer (slk_[\w-]{43})$/i;
const hintChars = 4;

/** What may be done under a key; null: no limit of its own. */
export type Terms = {
  name: string;
  /** What calls may be worth in all, at their prices, whatever bears them. */
  budget: Money.Money | null;
  /** Slugs. */
  services: readonly string[] | null;
  expiresMs: number | null;
};

/** A long-lived bearer that an account made for a program of its own. It never holds money. */
export type AccountKey = Terms & { id: string; account: string };

/** As its owner sees it; `hint` is the end of the key, `spent` what its calls were worth. */
export type Listed = AccountKey & { hint: string; createdMs: number; spent: Money.Money };

/** The record of keys, in which only digests stand. */
export interface AccountKeys {
  /** When it was made; null where the account has as many as it may. */
  add(key: AccountKey, digest: string, hint: string): Promise<number | null>;
  /** The key of this digest, with the account that it draws on now; null where there is none, or it was revoked. */
  find(digest: string): Promise<AccountKey | null>;
  /** Those in force, the oldest first. */
  of(account: string): Promise<Listed[]>;
  /** False where the account has no such key. It counts once the revocation is announced, too. */
  end(account: string, id: string): Promise<boolean>;
}

/** A fresh key: shown to its owner once, and then known by its digest. */
export function make(
  account: string,
  terms: Terms,
): { key: AccountKey; secret: string; digest: string; hint: string } {
  const bearer = secret(prefix);
  return {
    key: { ...terms, id: id('key'), account },
    secret: bearer,
    digest: sha256Hex(bearer),
    hint: bearer.slice(-hintChars),
  };
}

/** The digest of the key in an Authorization header; null where it holds none. */
export function digestIn(header: string): string | null {
  const bearer = written.exec(header)?.[1];
  return bearer === undefined ? null : sha256Hex(bearer);
}

/**
 * What a key says of its caller from now on, for no longer than an access token would: so long is a revocation
 * remembered in memory. Null where it has expired.
 */
export function claims(key: AccountKey, nowMs: number): Claims | null {
  if (key.expiresMs !== null && key.expiresMs <= nowMs) return null;
  const lifeMs = AccessToken.lifeSeconds * 1000;
  const endMs = Math.min(key.expiresMs ?? Number.POSITIVE_INFINITY, nowMs + lifeMs);
  // The cache tolerates clocks that differ; this time is our own.
  const expiresMs = endMs - clockToleranceSeconds * 1000;
  return { account: key.account, sid: key.id, jti: key.id, issuedMs: nowMs, expiresMs, key };
}

export type Fault = { field: string; message: string };

/** Reads what is wished of a new key. `services` are the slugs that there are. */
export function parse(
  value: unknown,
  services: readonly string[],
  nowMs: number,
): { kind: 'terms'; terms: Terms } | { kind: 'faults'; faults: Fault[] } {
  const faults: Fault[] = [];
  const refuse = (field: string, message: string) => {
    faults.push({ field, message });
    return null;
  };
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  const { name, budget_usd, services: wanted, expires_at, ...rest } = fields as Record<string, unknown>;
  for (const field of Object.keys(rest))
    refuse(field, 'Unknown; a key has name, budget_usd, services and expires_at');

  const isName = typeof name === 'string' && name.trim() !== '' && name.length <= nameCharsMax;
  if (!isName) refuse('name', `Required: what the key is for, 1 to ${nameCharsMax} characters`);
  const readBudget = () => {
    if (budget_usd == null) return null;
    const budget = typeof budget_usd === 'string' ? Money.parse(budget_usd) : null;
    return budget || refuse('budget_usd', 'Must be an amount above zero as a decimal string, such as "5.00"');
  };
  const readServices = () => {
    if (wanted == null) return null;
    if (!Array.isArray(wanted) || wanted.length === 0)
      return refuse('services', 'Must be a list of at least one service');
    const strange = wanted.findIndex((slug) => !services.includes(slug));
    if (strange < 0) return [...new Set<string>(wanted)];
    const near = nearest(String(wanted[strange]), services);
    return refuse(
      `services[${strange}]`,
      near ? `No such service; did you mean "${near}"?` : 'No such service',
    );
  };
  const readExpiry = () => {
    if (expires_at == null) return null;
    const ms =
      typeof expires_at === 'string' && isoTime.test(expires_at) ? Date.parse(expires_at) : Number.NaN;
    return ms > nowMs ? ms : refuse('expires_at', 'Must be a moment to come, such as "2030-01-31T00:00:00Z"');
  };
  const terms = {
    name: isName ? name.trim() : '',
    budget: readBudget(),
    services: readServices(),
    expiresMs: readExpiry(),
  };
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'terms', terms };
}

/** RFC 3339. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
