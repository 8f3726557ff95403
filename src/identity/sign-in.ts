import { sha256Hex } from '../kernel/digest.ts';
import { secret } from '../kernel/id.ts';

/** How long a link works. */
export const linkLifeMs = 15 * 60_000;
/** Links in 24 hours: to one mailbox, asked for from one address block, in all. */
export const dailyMax = { mailbox: 10, block: 30, all: 5_000 };
/** Wrong addresses that a browser may name for a link that another one asked for. */
export const triesMax = 5;

/** What opens a link, and what makes the browser known that asked for it: nobody can guess either, so a plain digest hides them. */
export const newToken = () => secret('sil');
export const newBrowser = () => secret('sib');
export const digest = sha256Hex;

/** What `newBrowser` gave, or null: only that goes back into a header. */
export function readBrowser(kept: string | undefined): string | null {
  return kept !== undefined && /^sib_[\w-]{43}$/.test(kept) ? kept : null;
}

/** A link to be written down. `block`: the address block that asked; null where it does not count. */
export type Begun = {
  id: string;
  email: string;
  mailbox: string;
  block: string | null;
  tokenDigest: string;
  browserDigest: string;
  expiresMs: number;
};

export type Standing =
  /** `known`: the email has an account; for the mail to tell, and nobody else. */
  { kind: 'begun'; known: boolean } | { kind: 'limited'; retryAfterSeconds: number };

/** `here`: in the browser that asked for it. */
export type Look = 'here' | 'elsewhere' | 'gone';

export type Outcome =
  | { kind: 'signed_in'; account: string }
  /** Neither the browser that asked, nor one that names the address of the mail. */
  | { kind: 'elsewhere' }
  /** Used, too old, tried too often, or never there. */
  | { kind: 'gone' };

/** The record of links, over all processes. */
export interface SignIns {
  start(link: Begun): Promise<Standing>;
  /** Undoes what could not be sent, so that it does not count. */
  forget(id: string): Promise<void>;
  /** How a link stands. Changes nothing: programs that guard mailboxes open links too. */
  look(tokenDigest: string, browserDigest: string | null): Promise<Look>;
  /** Takes a link, once. Where another browser asked for it, `email` has to be the address that it was sent to. */
  end(tokenDigest: string, browserDigest: string | null, email: string | null): Promise<Outcome>;
}
