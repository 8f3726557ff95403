import type {
  AcceptResult,
  DeclineResult,
  InviteResult,
  ListedInvitation,
  NewInvitation,
  OpenInvitation,
} from './invitation.ts';
import type { Role } from './role.ts';

/** The owner of a session: a person, or the account itself (`member` is null). `epoch` counts the changes after which its tokens are refused. */
export type Holder = { account: string; member: { id: string; role: Role } | null; epoch: number };

/** A person of an account. */
export type Member = { id: string; email: string; role: Role; joinedMs: number; usedMs: number };

/** An account of a person. `owner`: the address of its owner. `isOwn`: the person's own account, which sign-in opens. */
export type Membership = { account: string; member: string; role: Role; owner: string; isOwn: boolean };

/**
 * The result of a change. `last_owner`: the account would be left without an owner. `forbidden`: the role of the person who asked does not allow it, now.
 */
export type ChangeResult =
  /** `revoked`: ids of tokens, sessions and keys that must be refused from now on. */
  { kind: 'done'; revoked: readonly string[] } | { kind: 'unknown' | 'last_owner' | 'forbidden' };

export type Removal = {
  /** Also revokes the keys that the person created. */
  revokesKeys: boolean;
  /** Also ends the sessions, applications and wallets that belong to no person. */
  endsAccountTokens: boolean;
};

/** An entry of an account's audit list. */
export type AccountEvent = {
  id: number;
  atMs: number;
  who: string;
  act: string;
  subject: string;
  detail: Readonly<Record<string, unknown>> | null;
};

/** A session that a person started by signing in. `device`: the browser and system, such as `Chrome on macOS`; null when they are not known. */
export type SignedInSession = { id: string; device: string | null; atMs: number };

/** Identifies who acts, for the audit list: the id of a person or key, or `account`. */
export type Actor = string;

/** The persons of accounts; an adapter stores them. Each change checks the role of the person who asks in its own statement. */
export interface Team {
  /** Returns the current holder of a session; null when the person is no longer in the account, or the account's own sessions were ended. */
  holder(session: { account: string; member: string | null; epoch: number | null }): Promise<Holder | null>;
  find(member: string): Promise<(Member & { account: string }) | null>;
  members(account: string): Promise<Member[]>;
  /** Returns the accounts of a person, their own first, then those used last. */
  of(email: string): Promise<Membership[]>;

  invite(invitation: NewInvitation): Promise<InviteResult>;
  /** Returns the invitations of an account that are open or were declined. */
  invitations(account: string): Promise<ListedInvitation[]>;
  /** Returns the open invitation of a link. */
  opened(digest: string): Promise<OpenInvitation | null>;
  /** Returns the account of an invitation that the person who has proved `email` has accepted; null for any other. */
  joined(digest: string, email: string): Promise<string | null>;
  /** Accepts an invitation for the person who has proved `email`, once. A repetition has the same result. */
  accept(digest: string, email: string, membersMax: number): Promise<AcceptResult>;
  /** Declines an invitation for the person who has proved `email`. A repetition has the same result. */
  decline(digest: string, email: string): Promise<DeclineResult>;
  withdraw(account: string, id: string, by: string): Promise<ChangeResult>;

  setRole(account: string, member: string, role: Role, by: string): Promise<ChangeResult>;
  /** Makes another person an owner, and the owner who asks an admin. */
  transfer(account: string, member: string, by: string): Promise<ChangeResult>;
  /** Removes a person; a person may remove themselves, whatever their role. */
  remove(account: string, member: string, how: Removal, by: string): Promise<ChangeResult>;
  endAccountTokens(account: string, by: string): Promise<ChangeResult>;

  /** Adds an entry to the audit list. */
  record(
    account: string,
    by: Actor,
    act: string,
    subject: string,
    detail?: AccountEvent['detail'],
  ): Promise<void>;
  /** Returns at most `max` entries older than `before`, newest first, without those of the acts in `but`. */
  events(
    account: string,
    before: number | null,
    max: number,
    but?: readonly string[],
  ): Promise<AccountEvent[]>;
  /** Lists a session as one of a person, in the account that its browser now shows, or prolongs it after an assertion was issued. */
  keepSession(session: { id: string; member: string; device: string | null }): Promise<void>;
  /** Returns the sessions of a person in all accounts that have neither ended nor expired, the newest first. */
  sessions(email: string): Promise<SignedInSession[]>;
}
