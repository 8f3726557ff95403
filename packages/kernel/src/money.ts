/**
 * Money is a whole number of micro-dollars (1 USD = 1,000,000), branded so that no plain number slips in.
 * A JavaScript number holds whole values up to 2^53 exactly: nine billion dollars (docs/decisions/0001).
 */
export type Money = number & { readonly __unit: 'micro-usd' };

const microPerUsd = 1_000_000;
/** The largest amount that any body, column or sum may hold: one billion dollars. */
export const usdMax = 1_000_000_000;

export const zero = 0 as Money;

/** A whole number of micro-dollars as Money. Throws RangeError on a fraction, NaN or an unsafe value. */
export function ofMicro(micro: number): Money {
  if (!Number.isSafeInteger(micro)) throw new RangeError(`not a whole number of micro-dollars: ${micro}`);
  return micro as Money;
}

/** A whole number of cents, the processor's minor unit, as Money. */
export function ofCents(cents: number): Money {
  return ofMicro(cents * 10_000);
}

/** Money as whole cents, or null where it is not a whole number of them. */
export function toCents(money: Money): number | null {
  return money % 10_000 === 0 ? money / 10_000 : null;
}

/**
 * Reads a decimal string in USD ("5", "0.50", "0.001"), at most six decimals, no sign, no exponent.
 * Returns null for anything else and for amounts above `usdMax`.
 */
export function parse(text: string): Money | null {
  const match = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return null;
  const micro = Number(match[1]) * microPerUsd + Number((match[2] ?? '').padEnd(6, '0'));
  return micro <= usdMax * microPerUsd ? ofMicro(micro) : null;
}

/** A decimal string with at least two and at most six decimals: "5.00", "0.001". */
export function format(money: Money): string {
  return formatExact(money).replace(/0{1,4}$/, '');
}

/** A decimal string with exactly six decimals: "0.012000". */
export function formatExact(money: Money): string {
  const magnitude = Math.abs(money);
  const fraction = String(magnitude % microPerUsd).padStart(6, '0');
  return `${money < 0 ? '-' : ''}${Math.floor(magnitude / microPerUsd)}.${fraction}`;
}

/** `count` times `price`; `count` is a whole number of units. */
export function times(price: Money, count: number): Money {
  return ofMicro(price * count);
}
