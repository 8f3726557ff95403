/** The axis ends at one of these, times a power of ten. Each can be halved. */
const ends = [1, 2, 4, 6, 8, 10];

/** The end of an axis that shows values up to `peak`: a round number. */
export function axisEnd(peak: number): number {
  if (peak <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(peak));
  return Math.max(1, (ends.find((one) => one * power >= peak) ?? 10) * power);
}
