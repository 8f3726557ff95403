import type { HoldCause } from '../journeys/call-hold.ts';
import type { Texts } from '../text/texts.ts';

/**
 * Explains why a call is refused for its cost. Returns null when the request states its size clearly: then the cost is the only reason.
 * @param refusal the usual text of the refusal
 * @param units the unit of the called service in the plural, such as `results`
 */
export function costReason(
  texts: Texts,
  refusal: 'api.budget_exhausted' | 'api.price_ceiling' | 'api.credit_exhausted',
  cause: HoldCause | undefined,
  units: string,
): string | null {
  switch (cause) {
    case undefined:
      return null;
    case 'unclear_size':
      return texts.text(`${refusal}.unclear_size`, { units });
    case 'unpaid_calls':
      return texts.text(`${refusal}.unpaid_calls`);
    case 'counted_more':
      return texts.text(`${refusal}.counted_more`, { units });
  }
}
