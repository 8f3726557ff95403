import { html } from 'hono/html';
import type { Key, PlanStatus } from '../../keys/key.ts';
import type { UsageDay } from '../../usage/usage-report.ts';
import * as Figures from './figures.ts';
import * as Forms from './forms.ts';
import { front, type Html, type Page } from './frame.ts';

export type HolderView = {
  key: Key;
  days: readonly UsageDay[];
  nowMs: number;
  /** Time of the latest secret, which the form to rotate it names. */
  latestMs: number;
  /** A new secret, to be shown this once. */
  secret: string | null;
};

/** The page of the holder of a key. */
export function holderPage({ key, days, nowMs, latestMs, secret }: HolderView): Page {
  return {
    title: 'Your key',
    isScripted: secret !== null,
    main: html`<h1>Your key</h1>
${secret === null ? '' : Figures.newSecret(secret)}
${standing(key.planStatus)}
<section aria-labelledby="plan"><h2 id="plan">Plan</h2>
${Figures.facts(key, nowMs)}
<p class="soft">Key <span class="id">${key.id}</span>. To change the plan, contact the operator of this API and name this id.</p></section>
${Figures.usage(days)}
<section aria-labelledby="operations"><h2 id="operations">Operations</h2>${Figures.operations(key.allowedApis)}</section>
${Forms.rotateForm(`${front}/rotate`, latestMs)}`,
  };
}

/** Explains a plan that is not active and the next step. */
function standing(status: PlanStatus): Html {
  if (status === 'active') return html``;
  const next =
    status === 'past_due'
      ? 'Pay the open invoice, or contact the operator of this API.'
      : 'Contact the operator of this API to choose another plan.';
  return html`<p class="note">This plan is ${status.replace('_', ' ')}: calls are refused with 402. ${next}</p>`;
}
