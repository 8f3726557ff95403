/** One action of the seller: who did what to which subject, with the state before and after. */
export type AuditEntry = {
  id: number;
  atMs: number;
  who: string;
  act: string;
  /** The id of an account or order, or a promotion code. */
  subject: string;
  /** The email address of the account that the subject is, or whose order it is; null without one. */
  email: string | null;
  /** The address of the endpoint that the subject is, at the time of the action; null for other subjects. */
  url: string | null;
  before: unknown;
  /** Null when the action was started and its outcome is unknown. */
  after: unknown;
};

/** An action whose outcome is not known. `isRunning`: nothing was recorded about its outcome yet. */
export type OpenEntry = Pick<AuditEntry, 'id' | 'atMs' | 'before'> & { isRunning: boolean };

/** The action of a sign-in: most entries of a log are sign-ins. */
export const signInAct = 'signed_in';

/** The name of the admin token among the persons of the log. */
export const tokenName = 'Admin token';

/** The entries to list. Absent members do not restrict the result. */
export type AuditFilter = {
  /** Only entries of these accounts and their orders. */
  accounts?: readonly string[];
  /** A part of the actor or of the subject, or of the name of a person in the team who is one of both. */
  text?: string;
  act?: string;
  /** Only sign-ins, or everything else. */
  signIns?: 'only' | 'none';
  /** The first and the last day (UTC), such as `2026-11-22`. */
  from?: string;
  to?: string;
};

/** The audit log. Most actions write their entry in their own statement; actions that use the network open an entry and close it. */
export interface Audit {
  /** Records that `who` starts an action. Returns the id of the entry. */
  open(who: string, act: string, subject: string, before: object): Promise<number>;
  /** Records the outcome of an action. */
  close(entry: number, after: object): Promise<void>;
  /** Lists the entries of an action and subject of the last `withinMs` that have no outcome, or the outcome `unknown`; the newest first. */
  withoutOutcome(act: string, subject: string, withinMs: number): Promise<OpenEntry[]>;
  /** Returns at most `max` entries older than `before`, newest first. */
  list(filter: AuditFilter, before: number | null, max: number): Promise<AuditEntry[]>;
  /** Lists the actions that the log contains. */
  acts(): Promise<string[]>;
}
