/** Halvings of the range of scales: exact for any total. */
const halvings = 60;
const scaleMax = 2 ** 20;

/**
 * Divides `total` among `items` in whole numbers. `shareOf` gives the share of an item, which grows with `scale`, and its
 * maximum when the scale is infinite. The scale is chosen so that the shares add up to the total, if they can.
 */
export function divide<T>(
  items: readonly T[],
  total: number,
  shareOf: (item: T, scale: number) => number,
): Int32Array {
  const sum = (scale: number) => items.reduce((all, item) => all + shareOf(item, scale), 0);
  let [low, high] = [0, scaleMax];
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (low + high) / 2;
    if (sum(middle) < total) low = middle;
    else high = middle;
  }
  // Carry fractions over, so that the whole numbers add up to the total.
  let owed = 0;
  return Int32Array.from(items, (item) => {
    const max = Math.floor(shareOf(item, Number.POSITIVE_INFINITY));
    owed += shareOf(item, low);
    const share = Math.min(max, Math.floor(owed + 1e-6));
    owed -= share;
    return share;
  });
}
