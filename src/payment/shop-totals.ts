import type { Money } from '@sluice/kernel/money';

/** Ways in which purchases are paid, as `/metrics` names them. `mpp`: a program's card token. */
export const rails = ['card', 'mpp', 'x402', 'invoice', 'top_up'] as const;

/** The balances of one kind that customers can still spend. */
type Unspent = { usd: Money; units: number };

/** Totals of the shop since its beginning, over all processes. Amounts are without tax. */
export type ShopTotals = {
  accounts: { anonymous: number; claimed: number };
  /** Granted purchases. */
  purchases: readonly { rail: (typeof rails)[number]; orders: number; gross: Money }[];
  returned: { refund: Money; dispute: Money };
  /** Balances that customers can still use: bought, and given by trials and grants. */
  unspent: { paid: Unspent; given: Unspent };
};

/** Reads the totals. Rejects when the database does not answer in time. */
export type ReadShopTotals = () => Promise<ShopTotals>;
