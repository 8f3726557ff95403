/** A card that its holder let the shop save: the processor's ids, and the brand and digits that its holder recognizes. */
export type SavedCard = {
  customer: string;
  method: string;
  brand: string;
  last4: string;
  /** The consent to automatic charges under which it was saved. */
  consent?: string;
};
