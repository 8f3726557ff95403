import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Included } from '../../catalog/included.ts';
import { isTrialImmediate, type Plan, trialOf } from '../../catalog/plan.ts';
import { sharedUnit, unitOfPlan } from '../../catalog/plan-unit.ts';
import { isFree, type Service } from '../../catalog/service.ts';
import type { Texts } from '../../text/texts.ts';
import { codeBlock } from './code-block.ts';
import { earnedTrial, earnedTrialFor, trialButton } from './earned-trial.ts';
import type { Html } from './frame.ts';
import { headlineOf, namesOf } from './headline.ts';
import { lowestOf } from './meter-price.ts';
import { say } from './say.ts';
import type { ShopFacts, TryForm } from './shop-facts.ts';
import { startForm } from './start-form.ts';
import { unitPrice } from './unit-price.ts';

/** More prices of different units than this are shown as the lowest one. */
const pricesMax = 3;

/** The first screen of a new visitor: what is sold, its price, the ways to begin, and a request with its response. */
export function welcome(texts: Texts, { catalog, tried, response, isTrying }: ShopFacts): Html {
  const { services, plans } = catalog;
  const { title, lead } = headlineOf(texts, catalog);
  const names = namesOf(texts, services);
  const priced = services.filter(({ price, metering }) => metering === undefined && price > 0);
  const trial = trialOf(plans);
  const earned = earnedTrial(texts, catalog, null);
  return html`<div class="hero${isTrying ? '' : ' shown'}"><div>
<h1>${title}</h1>
<p class="lead">${lead}${names === title ? '' : html` ${say(texts, 'shop.includes', { names })}`}</p>
${priced.length === 0 ? meteredFrom(texts, services) : perThousand(texts, priced)}
<div class="actions">${earned !== null ? trialButton(texts, earned, false) : trial === null ? buyLink(texts, plans, 'shop.buy_credit') : startForm(texts, plans)}<a class="button plain" href="/docs">${say(texts, 'shop.see_reference')}</a>${trial === null ? '' : html`<a href="#plans">${say(texts, 'shop.see_plans')}</a>`}</div>
${trial !== null && isTrialImmediate(plans) ? html`<p class="soft">${firstFree(texts, trial.included, unitOfPlan(trial, services))}</p>` : ''}
${earned === null ? '' : html`<p class="soft">${say(texts, 'shop.trial_email', { quantity: earned })}</p>`}
</div>
${isTrying ? '' : demonstration(texts, tried, response, catalog)}</div>`;
}

/** The request of the "Try it" form with its described response, and the button that sends it. */
function demonstration(
  texts: Texts,
  { operation, path, body, key }: TryForm,
  response: string | null,
  catalog: Pick<Catalog, 'plans' | 'services'>,
): Html {
  const { id, method, service } = operation;
  const { plans } = catalog;
  const earned = earnedTrialFor(texts, catalog, null, service);
  const send =
    isFree(service) || isTrialImmediate(plans)
      ? html`<button>${say(texts, 'try.send')}</button>`
      : earned === null
        ? buyLink(texts, plans, 'shop.buy_to_send', ' plain')
        : html`<button formaction="/shop/start">${say(texts, 'plans.get_trial', { quantity: earned })}</button>`;
  const hidden = { operation: id, shown: id, path, body, key };
  return html`<section class="demo" aria-labelledby="demo"><h2 id="demo" class="call"><span class="method">${method}</span> <code>${path}</code></h2>
${body === '' ? '' : codeBlock(texts.text('reference.request'), body)}
${response === null ? '' : exampleResponse(texts, response)}
<form method="post" action="/shop/try#try">${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<div class="actions">${send}<a href="/?operation=${encodeURIComponent(id)}#try">${say(texts, 'try.change')}</a></div></form></section>`;
}

/** Leads to the plans; `label` is for a shop that sells credit. */
function buyLink(
  texts: Texts,
  plans: readonly Plan[],
  label: 'shop.buy_credit' | 'shop.buy_to_send',
  kind = '',
): Html {
  const isCredit = plans.some((plan) => plan.kind === 'credit');
  return html`<a class="button${kind}" href="#plans">${say(texts, isCredit ? label : 'shop.see_plans')}</a>`;
}

/** The response, and for narrow screens the first result of it, if it has one. */
function exampleResponse(texts: Texts, response: string): Html {
  const first = firstResult(response);
  const label = texts.text('reference.response');
  const whole = codeBlock(label, response);
  return html`<div${first === null ? '' : html` class="whole"`}><p class="soft">${say(texts, 'shop.response')}</p>${whole}</div>
${first === null ? '' : html`<div class="first"><p class="soft">${say(texts, 'shop.first_result')}</p>${codeBlock(label, first)}</div>`}`;
}

/** The plain members of the first object in a list of the response, without parts of others, such as a first name beside the whole one; null when there is none. */
function firstResult(response: string): string | null {
  try {
    const [list] = Object.values(Object(JSON.parse(response))).filter(
      (value): value is unknown[] => Array.isArray(value) && typeof value[0] === 'object',
    );
    const members = Object.entries(Object(list?.[0])).filter(
      ([, value]) => value !== null && typeof value !== 'object',
    );
    const plain = members.filter(([name, value]) => !isPart(value, name, members));
    return plain.length === 0 ? null : JSON.stringify(Object.fromEntries(plain), null, 2);
  } catch {
    return null;
  }
}

function isPart(value: unknown, name: string, members: readonly [string, unknown][]): boolean {
  return (
    typeof value === 'string' &&
    members.some(
      ([other, whole]) =>
        other !== name && typeof whole === 'string' && whole !== value && whole.includes(value),
    )
  );
}

/** The lowest price of the first service with meters. */
function meteredFrom(texts: Texts, services: readonly Service[]): Html | string {
  const [first] = services.flatMap(({ metering }) => metering ?? []);
  const lowest = first === undefined ? null : lowestOf(texts, first);
  if (lowest === null) return '';
  return html`<p class="price">${say(texts, 'shop.from_price_first', { price: lowest })}</p>`;
}

function perThousand(texts: Texts, priced: readonly Service[]): Html {
  const prices = new Set(priced.map(({ price }) => price));
  const each = [...new Set(priced.map((service) => unitPrice(texts, service)))];
  const isMixed = new Set(priced.map(({ unit }) => unit)).size > 1;
  if (isMixed && each.length <= pricesMax)
    return html`<p class="price">${new Intl.ListFormat(texts.language, { type: 'unit' }).format(each)}</p>`;
  const amount = texts.usd(Money.format(Money.ofMicro(Math.min(...prices) * 1_000)));
  const facts = { amount, units: texts.units(sharedUnit(priced)) };
  return html`<p class="price">${say(texts, prices.size === 1 ? 'shop.thousand' : 'shop.thousand_from', facts)}</p>`;
}

/** The content of the trial as a promise: `Your first 25 results are free`. */
export function firstFree(texts: Texts, { asset, amount }: Included, unit: string): Html {
  return asset === 'unit'
    ? say(texts, 'try.first_free', { quantity: texts.quantity(amount, unit) })
    : say(texts, 'try.first_usage_free', { amount: texts.usd(Money.format(Money.ofMicro(amount))) });
}
