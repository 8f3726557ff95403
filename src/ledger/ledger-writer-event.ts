/** An event of a writer that an operator should know. The caller of the writer logs it. */
export type LedgerWriterEvent =
  | { kind: 'ledger_unreachable' | 'ledger_inconsistent' | 'undelivered_not_credited'; error: unknown }
  /** The store answered, but failed each attempt at a batch for too long: its calls are refused, and nothing of it is booked. */
  | { kind: 'batch_given_up'; error: unknown }
  /** The data of one account causes a fault: its calls fail, and no others. */
  | { kind: 'account_failed'; account: string; error: unknown }
  | { kind: 'fenced' }
  | { kind: 'opened'; epoch: number };
