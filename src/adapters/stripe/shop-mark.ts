/** The mark of this shop's objects at Stripe: its public URL, and the ones that it had before. */
export type ShopMark = {
  /** The mark of new objects. */
  origin: string;
  /** Former public URLs: objects with one of these marks are this shop's too. */
  former: readonly string[];
};

/** Returns true when `shop`, the mark of an object, names another shop, or is missing in an account that has other uses. */
export function isForeign({ origin, former }: ShopMark, shop: string | undefined): boolean {
  return shop === undefined || (shop !== origin && !former.includes(shop));
}
