import { parse as parseEmail } from '../email.ts';
import { parseRole, type Role } from './role.ts';

/** A person who may use the seller's console. */
export type Operator = { id: string; email: string; name: string; role: Role };

/** A person with their means to sign in. */
export type ListedOperator = Operator & {
  createdMs: number;
  passkeys: number;
  hasOidc: boolean;
  /** The last use of the console; null if there was none. */
  seenMs: number | null;
  /** The end of the open invitation; null when there is none. */
  invitedUntilMs: number | null;
};

export type Passkey = {
  /** The credential id in base64url. */
  id: string;
  operator: string;
  /** The COSE public key in base64url. */
  publicKey: string;
  counter: number;
  transports: readonly string[];
  name: string;
  isBackedUp: boolean;
  createdMs: number;
  usedMs: number | null;
};

/** `current` in the list of sessions is found by its digest. */
export type OperatorSession = {
  digest: string;
  address: string;
  /** The browser and system of the sign-in, such as `Chrome on macOS`; null when they are not known. */
  device: string | null;
  createdMs: number;
  usedMs: number;
  expiresMs: number;
};

/** The draft of an invitation. */
export type Invitation = { email: string; name: string; role: Role };

/** `last_owner`: no other person can sign in as an owner. */
export type ChangeResult = 'done' | 'unknown' | 'last_owner';

/** `last_passkey`: the person could not sign in without it. */
export type PasskeyRemoval = 'done' | 'unknown' | 'last_passkey';

/** Days in which an invitation link can be used. */
export const invitationDays = 7;
export const passkeysMax = 20;
const nameCharsMax = 100;

/** Reads the fields of an invitation, or returns its faults by field. */
export function parseInvitation(said: {
  email: string;
  name: string;
  role: string;
}): { kind: 'read'; invitation: Invitation } | { kind: 'fault'; faults: Record<string, string> } {
  const email = parseEmail(said.email);
  const role = parseRole(said.role);
  const name = said.name.trim().replace(/\s+/g, ' ');
  const faults = {
    ...(email === null && { email: 'Enter an email address, such as ada@example.com.' }),
    ...(role === null && { role: 'Choose a role: owner, finance, support or viewer.' }),
    ...(name.length > nameCharsMax && { name: `Enter at most ${nameCharsMax} characters.` }),
  };
  if (email === null || role === null || name.length > nameCharsMax) return { kind: 'fault', faults };
  return { kind: 'read', invitation: { email, role, name: name || email } };
}

/** Reads the name of a passkey; an empty one is called `Passkey`. */
export function passkeyName(said: string): string {
  return said.trim().replace(/\s+/g, ' ').slice(0, nameCharsMax) || 'Passkey';
}

/** The persons with access to the console; an adapter stores them. Changes write the audit log in the same statement. */
export interface Operators {
  list(): Promise<ListedOperator[]>;
  find(id: string): Promise<Operator | null>;
  /** Returns true when an owner can sign in with a passkey or OpenID Connect. */
  hasOwner(): Promise<boolean>;
  /** Returns true when any person has a passkey. */
  hasPasskeys(): Promise<boolean>;
  /**
   * Adds a person and an invitation link for them. A person who is known already keeps their role and gets another link.
   * @param digest SHA-256 of the link's token
   */
  invite(
    draft: Invitation & { id: string; digest: string; expiresMs: number },
    who: string,
  ): Promise<{ operator: Operator; isNew: boolean }>;
  /** Returns the person of an invitation that can still be used, or null. */
  invited(digest: string): Promise<Operator | null>;
  /** Returns why an invitation cannot be used: it was used, or it has expired. Null for one that is open or unknown. */
  endedInvitation(digest: string): Promise<'used' | 'expired' | null>;
  changeRole(id: string, role: Role, who: string): Promise<ChangeResult>;
  /** Deletes a person with their passkeys, invitations and sessions. */
  remove(id: string, who: string): Promise<ChangeResult>;

  passkeys(operator: string): Promise<Passkey[]>;
  findPasskey(id: string): Promise<Passkey | null>;
  /**
   * Stores a passkey. With `invitation` (a digest) it uses the invitation, once. Returns false when the invitation is no longer valid, the
   * credential is known, or the person has too many passkeys.
   */
  addPasskey(
    passkey: Omit<Passkey, 'createdMs' | 'usedMs'>,
    invitation: string | null,
    who: string,
  ): Promise<boolean>;
  /** Keeps the last passkey of a person who could not sign in without it, however many removals run at once. */
  removePasskey(operator: string, id: string, who: string): Promise<PasskeyRemoval>;
  /**
   * Records a sign-in with a passkey. Returns false when `counter` is not above the stored counter and either of them counts: the
   * authenticator was cloned, or the response is an old one.
   */
  usePasskey(id: string, counter: number): Promise<boolean>;
  /** Accepts a challenge once over all processes. Returns false for one that was accepted before. */
  acceptOnce(challengeDigest: string, expiresMs: number): Promise<boolean>;

  /** Finds the person of an OpenID Connect subject, or binds the subject to the invited person with `email`, once. Null when there is none. */
  findByOidc(subject: string, email: string | null, who: string): Promise<Operator | null>;
  /** Adds or updates the person of an OpenID Connect subject whose role comes from a claim. Null when the address belongs to another subject. */
  provision(
    person: Invitation & { id: string; subject: string },
    who: string,
  ): Promise<Operator | 'last_owner' | null>;

  startSession(
    session: { digest: string; operator: string; address: string; expiresMs: number; device: string | null },
    replaces: string | null,
    who: string,
  ): Promise<void>;
  /** Returns the person of a session that has not ended, and records its use. */
  session(digest: string): Promise<Operator | null>;
  sessions(operator: string): Promise<OperatorSession[]>;
  /** Ends a session; with `operator`, only one of theirs. */
  endSession(digest: string, operator: string | null): Promise<void>;
  /** Ends all sessions of a person but `except`. Returns their number. */
  endSessions(operator: string, except: string | null): Promise<number>;
}
