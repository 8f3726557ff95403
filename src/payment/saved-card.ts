/** A card that its holder let the shop save: the processor's ids, and the brand and digits that its holder recognizes. */
export type SavedCard = {
  customer: string;
  method: string;
  brand: string;
  last4: string;
  /** The consent to automatic charges under which it was saved. */
  consent?: string;
};

/** The card of a payment, as its holder and their bank name it. `country`: of the bank, two letters; null or absent when it is not known. */
export type PaidCard = Pick<SavedCard, 'brand' | 'last4'> & { country?: string | null };
