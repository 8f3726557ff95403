/** A customer of the shop: who holds lots in the ledger and calls with tokens. */
export type Account = { id: string; createdMs: number; origin: 'anonymous' | 'purchase' };

/** The record of accounts. */
export interface Accounts {
  /** Makes an anonymous account with its trial of `units`, in one statement. */
  register(id: string, plan: string, units: number): Promise<void>;
  find(id: string): Promise<Account | null>;
  /** How many registered since a moment. */
  registeredSince(sinceMs: number): Promise<number>;
}
