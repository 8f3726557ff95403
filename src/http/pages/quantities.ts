import type { PaidResponse } from '../../journeys/paid-response.ts';
import type { Quantities } from '../../ledger/metered.ts';
import type { Texts } from '../../text/texts.ts';

/** A quantity may be a fraction, such as seconds or dollars. Sums of fractions have no more places than this. */
const placesMax = 6;

/** The quantity of each meter, such as `input 1200, output 34`, in the order of the meters' names. */
export function quantities(texts: Texts, measured: Quantities): string {
  return Object.entries(measured)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([meter, quantity]) => `${meter} ${texts.decimal(decimal(quantity))}`)
    .join(', ');
}

/** The quantities of a metered call, and the units of any other, such as `5 results`. */
export function ofCall(texts: Texts, call: Pick<PaidResponse, 'units' | 'measured'>, unit: string): string {
  const measured = call.measured?.quantities;
  return measured === undefined ? texts.quantity(call.units, unit) : quantities(texts, measured);
}

/** A quantity as a decimal without an exponent. */
function decimal(quantity: number): string {
  return quantity.toFixed(placesMax).replace(/\.?0+$/, '');
}
