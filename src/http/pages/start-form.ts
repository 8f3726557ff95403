import { html } from 'hono/html';
import { isTrialImmediate, type Plan } from '../../catalog/plan.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** The button that opens an account. It says "free" only where the account has the trial at once. */
export function startForm(texts: Texts, plans: readonly Plan[]): Html {
  const key = isTrialImmediate(plans) ? 'plans.start' : 'plans.open';
  return html`<form method="post" action="/shop/start"><button>${say(texts, key)}</button></form>`;
}
