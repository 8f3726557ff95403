import type { HoldCause } from '../journeys/call-hold.ts';
import type { Texts } from '../text/texts.ts';

type CostRefusal = 'api.budget_exhausted' | 'api.price_ceiling' | 'api.credit_exhausted';

/**
 * Explains why a call is refused for its cost. Returns null when the request states its size clearly: then the cost is the only reason.
 * @param refusal the usual text of the refusal
 * @param units the unit of the called service in the plural, such as `results`
 */
export function costReason(
  texts: Texts,
  refusal: CostRefusal,
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

/** The same for a call by meters, which is paid in money: it names dollars and no unit. `required` and `available` are amounts as text. */
export function usageReason(
  texts: Texts,
  refusal: CostRefusal,
  cause: HoldCause | undefined,
  required: string,
  available: string,
): string {
  if (cause === 'unpaid_calls') return texts.text(`${refusal}.unpaid_calls`);
  if (refusal !== 'api.credit_exhausted') return texts.text(`${refusal}.usage`, { required });
  return cause === 'unclear_size'
    ? texts.text('api.credit_exhausted.usage.unclear_size', { required, available })
    : texts.text('api.credit_exhausted.usage', { required, available });
}
