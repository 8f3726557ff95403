import { createHmac, randomInt } from 'node:crypto';
import { nearest } from '../kernel/nearest.ts';
import * as Email from './email.ts';
import { tokenCharsMax } from './jwt.ts';
import type { Mailer } from './mail.ts';
import type { Fault } from './registration.ts';
import type { SignIns } from './sign-in.ts';

/** A code is guessed with a chance of `triesMax` in a million; the limits of a day keep the sum of such chances small. */
const codeDigits = 6;
export const triesMax = 5;
export const codeLifeMs = 10 * 60_000;
/** Codes in 24 hours: for one account, to one mailbox, from one address block. */
export const dailyMax = { account: 6, mailbox: 6, block: 20 };
const echoCharsMax = 64;

/** What POST /agent/auth/claim asks for. */
export type Opening = { kind: 'opening'; claimToken: string; email: string };
/** What POST /agent/auth/claim/complete asks for. */
export type Completion = { kind: 'completion'; claimToken: string; code: string };
type Faults = { kind: 'fault'; faults: readonly Fault[] };

export function parseOpening(body: unknown): Opening | Faults {
  const { faults, members } = membersOf(body, ['claim_token', 'email']);
  const email = Email.parse(members.email ?? '');
  if (members.email !== undefined && email === null)
    faults.push({ field: 'email', message: 'is no email address' });
  return faults.length > 0 || email === null
    ? { kind: 'fault', faults }
    : { kind: 'opening', claimToken: members.claim_token ?? '', email };
}

export function parseCompletion(body: unknown): Completion | Faults {
  const { faults, members } = membersOf(body, ['claim_token', 'otp']);
  // As people repeat it: in two groups, or with a dash.
  const code = members.otp?.replace(/[\s-]/g, '');
  if (code !== undefined && !/^\d{6}$/.test(code))
    faults.push({ field: 'otp', message: `must be the ${codeDigits} digits of the mail, as a string` });
  return faults.length > 0
    ? { kind: 'fault', faults }
    : { kind: 'completion', claimToken: members.claim_token ?? '', code: code ?? '' };
}

/** The members `names` of a body, each a required string; a fault names its field as seed 2.7 does. */
function membersOf(body: unknown, names: readonly string[]) {
  const faults: Fault[] = [];
  const members: Record<string, string | undefined> = {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    faults.push({ field: 'body', message: `must be an object with ${names.join(' and ')}` });
    return { faults, members };
  }
  const given: ReadonlyMap<string, unknown> = new Map(Object.entries(body));
  for (const name of given.keys()) {
    if (names.includes(name)) continue;
    const near = nearest(name, names);
    const hint = near === null ? `allowed fields: ${names.join(', ')}` : `did you mean "${near}"?`;
    faults.push({ field: 'body', message: `unknown field "${name.slice(0, echoCharsMax)}"; ${hint}` });
  }
  for (const name of names) {
    const value = given.get(name);
    if (typeof value === 'string' && value !== '' && value.length <= tokenCharsMax) members[name] = value;
    else faults.push({ field: name, message: value === undefined ? 'is required' : 'must be a string' });
  }
  return { faults, members };
}

/** Six digits that nobody can foresee. */
export function newCode(): string {
  return String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');
}

/**
 * What is kept of a code: useless for another account, and without `secret`. Two digests may be compared by any means,
 * as nobody can aim at one.
 */
export function digest(secret: string, account: string, code: string): string {
  return createHmac('sha256', secret).update(`${account} ${code}`).digest('hex');
}

/** What is kept of a mailbox, so that what is given once is given once to its reader. */
export function mailboxDigest(secret: string, email: string): string {
  return createHmac('sha256', secret)
    .update(`mailbox ${Email.mailbox(email)}`)
    .digest('hex');
}

/** A claim to be written down. `block`: the address block that asked; null where it does not count. */
export type Begun = {
  id: string;
  account: string;
  email: string;
  mailbox: string;
  block: string | null;
  codeDigest: string;
  expiresMs: number;
};

export type Standing =
  /** `known`: the email has an account already; for the mail to tell, and nobody else. */
  | { kind: 'begun'; known: boolean }
  /** The account has its person. */
  | { kind: 'claimed' }
  | { kind: 'limited'; retryAfterSeconds: number };

export type Outcome =
  /** `account`: the one that remains. `joined`: it is an older one of the same person. */
  | { kind: 'claimed'; account: string; joined: boolean }
  | { kind: 'wrong'; triesLeft: number }
  /** No code is waiting: none was sent, or it is too old, or was tried too often. */
  | { kind: 'none' }
  /** The account has another person by now. */
  | { kind: 'taken' }
  /** The seller has frozen it, or the account that it would become a part of. */
  | { kind: 'frozen' };

/** What it takes to hand accounts over by email, and to let their people in. */
export type Office = {
  readonly claims: Claims;
  readonly signIns: SignIns;
  readonly mailer: Mailer;
  /** Keys the digests of codes and mailboxes; the same in all processes. */
  readonly secret: string;
};

/** The record of claims. Both steps are one statement each, over all processes one at a time. */
export interface Claims {
  start(claim: Begun): Promise<Standing>;
  /** Undoes a start whose mail could not be sent, so that it does not count. */
  forget(id: string): Promise<void>;
  /** Where the code is right: the claim, the join and the further `units` of `plan`, all or nothing; again the same. */
  complete(account: string, codeDigest: string, trial: { plan: string; units: number }): Promise<Outcome>;
}
