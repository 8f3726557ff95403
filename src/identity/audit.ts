/** What the seller did, once: who, what, to whom, and how it was before and after. */
export type AuditEntry = {
  id: number;
  atMs: number;
  who: string;
  act: string;
  /** An account, an order or a code. */
  subject: string;
  before: unknown;
  /** Null where the act was begun and nobody knows its end. */
  after: unknown;
};

/** The log of what the seller did. Most acts write their entry themselves; those that go over the network are begun and ended. */
export interface Audit {
  /** Writes down that `who` is about to do it. */
  open(who: string, act: string, subject: string, before: object): Promise<number>;
  /** And what came of it. */
  close(entry: number, after: object): Promise<void>;
  /** The newest first, at most `max`, older than the entry `before`; of one account and its orders where it is named. */
  list(account: string | null, before: number | null, max: number): Promise<AuditEntry[]>;
}
