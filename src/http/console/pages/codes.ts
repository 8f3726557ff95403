import { html, raw } from 'hono/html';
import type { Plan } from '../../../catalog/plan.ts';
import type { Promotion } from '../../../payment/promotion.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, planHint, resultLine } from './account.ts';
import { confirmation } from './confirmation.ts';
import { field, select } from './fields.ts';
import { amount, count, day, sign, table } from './figures.ts';
import type { PlanName } from './orders.ts';

export type CodesFacts = {
  codes: readonly Promotion[];
  plans: readonly Plan[];
  planName: PlanName;
  nowMs: number;
  canChange: boolean;
  result: FormResult;
  /** A refused form: its values, and the faults by field. */
  draft: {
    values: Readonly<Record<string, string>>;
    claimedOnly: boolean;
    faults: Readonly<Record<string, string>>;
  } | null;
};

const path = '/admin/console/codes';

/** The promotion codes, and the form that creates one. */
export function codes(facts: CodesFacts): Html {
  const { codes: all, canChange, result } = facts;
  const canEnd = canChange && all.some((one) => !isOver(one, facts.nowMs));
  const columns = [
    'Code',
    { bare: 'Grants' },
    { wide: 'Plan' },
    { lead: 'Status' },
    { number: 'Used' },
    'Last day',
    'Credit lasts',
    { bare: 'For' },
    ...(canEnd ? [{ bare: 'Action' }] : []),
  ];
  return html`<h1>Promotion codes</h1>
${resultLine(result)}
<section aria-labelledby="codes"><h2 id="codes">Codes</h2>
<p class="soft">A code grants credit once to each account that enters it. Buyers enter codes on their account page, agents with <code>POST /account/promotions</code>.</p>
${
  all.length === 0
    ? html`<p>No codes yet.${canChange ? ' Create the first one below, such as WELCOME-5 with 5.00 USD for new buyers.' : ''}</p>`
    : table(
        'Codes',
        columns,
        all.map((one) => row(one, facts, canEnd)),
      )
}</section>
${canChange ? form(facts) : ''}`;
}

function row(one: Promotion, { nowMs, planName }: CodesFacts, canEnd: boolean): Html {
  const { code, plan, asset, redemptions, redemptionsMax, expiresMs, lotDays, claimedOnly } = one;
  const isPast = isOver(one, nowMs);
  const end = html`<a class="button plain danger small" href="${path}/${code}/end">End code<span class="hidden"> ${code}</span></a>`;
  return html`<tr><th scope="row"><code>${code}</code></th><td>${amount(asset, one.amount)}</td><td>${planName(plan)}</td>
<td>${isPast ? sign(overBy(one, nowMs), 'past') : sign('active')}</td><td class="number">${count(redemptions)}${redemptionsMax === null ? '' : ` of ${count(redemptionsMax)}`}</td>
<td>${expiresMs === null ? 'no end' : day(expiresMs - 1)}</td><td>${lotDays === null ? 'no end' : `${count(lotDays)} days`}</td><td>${claimedOnly ? 'Confirmed email' : 'All accounts'}</td>${canEnd ? html`<td>${isPast ? '' : end}</td>` : ''}</tr>`;
}

/** Returns true for a code that is no longer accepted. */
function isOver({ endedMs, expiresMs, redemptions, redemptionsMax }: Promotion, nowMs: number): boolean {
  return endedMs !== null || (expiresMs !== null && expiresMs <= nowMs) || redemptions === redemptionsMax;
}

/** Why a code is no longer accepted. */
function overBy({ endedMs, expiresMs }: Promotion, nowMs: number): string {
  if (endedMs !== null) return 'ended';
  return expiresMs !== null && expiresMs <= nowMs ? 'expired' : 'used up';
}

/** Shows the effects of ending a code before it is done. */
export function confirmEnd({ code, asset, amount: value, redemptions, redemptionsMax }: Promotion): Html {
  return confirmation({
    question: 'End this code?',
    subject: 'Code',
    facts: [
      ['Code', html`<code>${code}</code>`],
      ['Grants', amount(asset, value)],
      ['Used', `${count(redemptions)}${redemptionsMax === null ? '' : ` of ${count(redemptionsMax)}`}`],
    ],
    effects: [
      'The code is refused from then on.',
      'Credit that it granted remains.',
      'It cannot be started again, and no new code can have the same name.',
    ],
    action: path,
    fields: html`<input type="hidden" name="act" value="end"><input type="hidden" name="code" value="${code}">`,
    button: 'End code',
    back: path,
  });
}

function form({ plans, draft }: CodesFacts): Html {
  const of = (name: string) => ({ name, value: draft?.values[name] ?? '', fault: draft?.faults[name] });
  const usual = plans.find(({ kind }) => kind === 'credit')?.id ?? plans[0]?.id ?? '';
  return html`<section aria-labelledby="create"><h2 id="create">Create a code</h2>
<form method="post" action="${path}"><input type="hidden" name="act" value="create"><div class="grid-fields short-fields">
<div>${field({ ...of('code'), label: 'Code', hint: '4 to 40 letters, digits, dashes or underscores; saved in capitals, without spaces', isRequired: true })}</div>
<div>${field({ ...of('usd'), label: 'Credit (USD)', placeholder: '5.00', inputMode: 'decimal', hint: 'Money to spend at your prices' })}</div>
<div>${field({ ...of('units'), label: 'Or results', hint: 'Enter either dollars or results', inputMode: 'numeric' })}</div>
<div>${select(
    'plan',
    'Plan',
    plans.map(({ id, name }) => [id, name] as const),
    draft?.values.plan ?? usual,
    planHint,
  )}</div>
<div>${field({ ...of('max'), label: 'Accounts that can use it', hint: 'Any number if empty', inputMode: 'numeric' })}</div>
<div>${field({ ...of('expires'), label: 'Last day', hint: 'No end if empty', type: 'date' })}</div>
<div>${field({ ...of('days'), label: 'Credit expires after (days)', hint: 'Never if empty', inputMode: 'numeric' })}</div>
<div><label class="check below"><input type="checkbox" name="claimed_only" value="yes"${draft?.claimedOnly ? raw(' checked') : ''}> Only accounts with a confirmed email address</label></div></div>
<button>Create code</button></form></section>`;
}
