import { sha256Hex } from '@sluice/kernel/digest';
import { secret } from '@sluice/kernel/id';
import type { Rule } from './registration.ts';
import type { Holder } from './team/team.ts';

/** A link expires after this. */
export const linkLifeMs = 15 * 60_000;
/**
 * The last link of the day's allowance of a mailbox and those after it expire after this, and there is at most one such link for each address at a
 * time. So strangers who request links cannot keep the reader of the mailbox out: until the next one may be requested, theirs works.
 */
export const lateLinkLifeMs = 60 * 60_000;
/**
 * Links in 24 hours: per mailbox, per address block of the requester (narrowest first) and in total. `known`: of a browser that has opened a link of
 * the mailbox before, and of all such browsers of the mailbox. Those have a total of their own.
 */
export const dailyMax = {
  mailbox: 10,
  known: { browser: 10, mailbox: 20 },
  blocks: [30, 60, 120],
  all: 5_000,
} as const;
/** Wrong addresses that can be entered for a link that another browser requested. */
export const triesMax = 5;

/** The token of a link and the cookie of the browser that requested it. Both are random, so a plain digest protects them. */
export const newToken = () => secret('sil');
export const newBrowser = () => secret('sib');
export const digest = sha256Hex;

/** Returns `kept` when it has the form of `newBrowser`, so that it is safe in a header; otherwise null. */
export function readBrowser(kept: string | null): string | null {
  return kept !== null && /^sib_[\w-]{43}$/.test(kept) ? kept : null;
}

/** A link to be stored. `rules`: the limits of the address that requested it. */
export type NewSignInLink = {
  id: string;
  email: string;
  mailbox: string;
  rules: readonly Rule[];
  tokenDigest: string;
  browserDigest: string;
  /** The digest of the browser, if it has opened a link of the mailbox before. */
  knownDigest: string | null;
  expiresMs: number;
  /** For a link beyond the allowance of the mailbox. */
  lateExpiresMs: number;
  /** The invitation that opening the link accepts; null for a plain sign-in. */
  invitation: string | null;
};

export type SignInStart =
  /** `known`: the email has an account. Only the mail may reveal this. */
  | { kind: 'begun'; known: boolean; expiresMs: number }
  /** Respond as to `begun`, but send no mail. */
  | { kind: 'skipped' }
  | { kind: 'limited'; retryAfterSeconds: number };

/** `here`: opened in the browser that requested it, which knows the `email`. `joins`: the link accepts an invitation. */
export type LinkState =
  | { kind: 'here'; email: string; joins: boolean }
  | { kind: 'elsewhere'; joins: boolean }
  | { kind: 'gone' };

export type SignInOutcome =
  /** `session`: the id of the session that starts. */
  | { kind: 'signed_in'; holder: Holder; email: string; session: string }
  /** The browser is not the one that requested the link and did not enter the address of the mail. */
  | { kind: 'elsewhere' }
  /** The link was used, has expired, had too many attempts, or never existed. */
  | { kind: 'gone' }
  /** The account of the invitation has the maximum number of persons. */
  | { kind: 'full' };

/** The store of links, shared by all processes. */
export interface SignIns {
  start(link: NewSignInLink): Promise<SignInStart>;
  /** Returns the state of a link without using it: mail scanners open links too. */
  look(tokenDigest: string, browserDigest: string | null): Promise<LinkState>;
  /** Uses a link up. From another browser than the one that requested it, `email` must be the address of the mail. */
  end(
    link: {
      tokenDigest: string;
      browserDigest: string | null;
      email: string | null;
      /** The browser and system, for the list of sign-ins. */
      device: string | null;
    },
    membersMax: number,
  ): Promise<SignInOutcome>;
}
