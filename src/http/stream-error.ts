import * as Money from '@sluice/kernel/money';
import type { GrowthRefusal } from '../journeys/growing-hold.ts';
import type { Texts } from '../text/texts.ts';

/** The codes are those of the same refusals before a call. */
export const codes = {
  exhausted: 'credit_exhausted',
  in_flight: 'credit_in_flight',
  trial_paused: 'trial_paused',
  budget_exhausted: 'budget_exhausted',
  price_ceiling: 'price_ceiling',
  no_plan: 'plan_required',
  ledger_unavailable: 'ledger_unavailable',
  account_frozen: 'account_frozen',
  role_not_allowed: 'role_not_allowed',
  token_invalid: 'token_invalid',
} as const;

/** Returns the event that ends a stream early, in the form of its format. */
export function streamError(
  texts: Texts,
  format: 'sse' | 'ndjson',
  refusal: GrowthRefusal,
  requestId: string,
): Buffer {
  const code = codes[refusal.kind];
  const required_usd = 'required' in refusal ? Money.formatExact(refusal.required) : undefined;
  const message = texts.text(`api.stream_ended.${code}`);
  const json = JSON.stringify({ error: { code, message, request_id: requestId, required_usd } });
  return Buffer.from(format === 'sse' ? `event: error\ndata: ${json}\n\n` : `${json}\n`);
}
