/** A card that its holder let the shop keep: by the processor's names, and as he knows it. */
export type SavedCard = { customer: string; method: string; brand: string; last4: string };
