import { createHmac, randomInt } from 'node:crypto';
import { unknownFields } from '@sluice/kernel/did-you-mean';
import type { Texts } from '../text/texts.ts';
import * as Email from './email.ts';
import { tokenCharsMax } from './jwt.ts';
import type { MailQueue } from './mail.ts';
import { mailbox } from './mailbox.ts';
import type { RegistrationFault, Rule } from './registration.ts';
import type { SignIns } from './sign-in.ts';
import type { Holder } from './team/team.ts';
import type { TrialOffer, TrialState } from './trial-proof.ts';

/** A code can be guessed with a probability of `triesMax` in a million; the daily limits keep the total probability small. */
const codeDigits = 6;
export const triesMax = 5;
export const codeLifeMs = 10 * 60_000;
/** Codes in 24 hours: per account, per mailbox, per address block (narrowest first) and in total. */
export const dailyMax = { account: 6, mailbox: 6, blocks: [20, 40, 80], all: 5_000 } as const;

/** The body of POST /agent/auth/claim. */
export type ClaimOpening = { kind: 'opening'; claimToken: string; email: string };
/** The body of POST /agent/auth/claim/complete. */
export type ClaimCompletion = { kind: 'completion'; claimToken: string; code: string };
type Faults = { kind: 'fault'; faults: readonly RegistrationFault[] };

export function parseOpening(texts: Texts, body: unknown): ClaimOpening | Faults {
  const { faults, members } = membersOf(texts, body, ['claim_token', 'email']);
  const email = Email.parse(members.email ?? '');
  if (members.email !== undefined && email === null)
    faults.push({ field: 'email', message: texts.text('fault.email') });
  return faults.length > 0 || email === null
    ? { kind: 'fault', faults }
    : { kind: 'opening', claimToken: members.claim_token ?? '', email };
}

export function parseCompletion(texts: Texts, body: unknown): ClaimCompletion | Faults {
  // Newer versions of auth.md call the code `user_code`.
  const isNewer = typeof body === 'object' && body !== null && Object.hasOwn(body, 'user_code');
  const field = isNewer ? 'user_code' : 'otp';
  const { faults, members } = membersOf(texts, body, ['claim_token', field]);
  // People type the code in two groups, or with a dash.
  const code = members[field]?.replace(/[\s-]/g, '');
  if (code !== undefined && !/^\d{6}$/.test(code))
    faults.push({ field, message: texts.text('fault.code', { digits: codeDigits }) });
  return faults.length > 0
    ? { kind: 'fault', faults }
    : { kind: 'completion', claimToken: members.claim_token ?? '', code: code ?? '' };
}

/** Reads the members `names` of a body; each must be a string. */
function membersOf(texts: Texts, body: unknown, names: readonly string[]) {
  const members: Record<string, string | undefined> = {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const fields = names.reduce((first, second) => texts.text('fault.and', { first, second }));
    const message = texts.text('fault.object_with', { fields });
    return { faults: [{ field: 'body', message }], members };
  }
  const given: ReadonlyMap<string, unknown> = new Map(Object.entries(body));
  const faults: RegistrationFault[] = unknownFields(given.keys(), names);
  for (const name of names) {
    const value = given.get(name);
    if (typeof value === 'string' && value !== '' && value.length <= tokenCharsMax) members[name] = value;
    else
      faults.push({
        field: name,
        message: texts.text(value === undefined ? 'fault.required' : 'fault.string'),
      });
  }
  return { faults, members };
}

/** Returns six random digits. */
export function newCode(): string {
  return String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');
}

/**
 * Returns the digest that is stored of a code. It is useless for another account and without `secret`. Digests need no
 * constant-time comparison: an attacker cannot choose one.
 */
export function digest(secret: string, account: string, code: string): string {
  return createHmac('sha256', secret).update(`${account} ${code}`).digest('hex');
}

/** Returns the digest that is stored of a mailbox, so that its reader gets a one-time credit once. */
export function mailboxDigest(secret: string, email: string): string {
  return createHmac('sha256', secret)
    .update(`mailbox ${mailbox(email)}`)
    .digest('hex');
}

/** A claim to be stored. `rules`: the limits of the address that requested it. */
export type NewClaim = {
  id: string;
  account: string;
  email: string;
  mailbox: string;
  rules: readonly Rule[];
  codeDigest: string;
  expiresMs: number;
};

export type ClaimStartResult =
  /** `known`: the email has an account already. Only the mail may reveal this. */
  | { kind: 'begun'; known: boolean }
  /** A person has claimed the account already. */
  | { kind: 'claimed' }
  | { kind: 'limited'; retryAfterSeconds: number };

export type ClaimOutcome =
  /** `holder`: the person in the account to use from now on. `joined`: it is an older account of the same person. */
  | { kind: 'claimed'; account: string; joined: boolean; trial: TrialState; holder: Holder }
  | { kind: 'wrong'; triesLeft: number }
  /** No code is valid: none was sent, it has expired, or there were too many attempts. */
  | { kind: 'none' }
  /** Another person has claimed the account. */
  | { kind: 'taken' }
  /** The seller has frozen the account, or the one that it would be joined to. */
  | { kind: 'frozen' };

/** Lets people claim accounts by email and sign in to them. */
export type ClaimService = {
  readonly claims: Claims;
  readonly signIns: SignIns;
  readonly mail: MailQueue;
  /** Keys the digests of codes and mailboxes; the same in all processes. */
  readonly secret: string;
};

/** The store of claims. Each step is one statement, serialized over all processes. */
export interface Claims {
  start(claim: NewClaim): Promise<ClaimStartResult>;
  /**
   * When the code is right: claims, joins, grants the additional `more` of the trial's plan, and the trial itself if that needs an email address,
   * all or nothing. A repetition has the same result.
   */
  complete(account: string, codeDigest: string, trial: TrialOffer, more: number): Promise<ClaimOutcome>;
}
