import * as Money from '@sluice/kernel/money';
import { operationKey } from '@sluice/kernel/operation-key';
import { html } from 'hono/html';
import * as ExampleRequest from '../../catalog/example-request.ts';
import type { Operation } from '../../catalog/operation.ts';
import { covers, isTrialImmediate, trialOf } from '../../catalog/plan.ts';
import { isByUsage, sharedUnit, unitOfPlan } from '../../catalog/plan-unit.ts';
import * as TaxNote from '../../catalog/tax-note.ts';
import { path as links } from '../../discovery/paths.ts';
import type { Texts } from '../../text/texts.ts';
import { codeBlock, codeTabs } from './code-block.ts';
import { type SampleBody, sampleKey, samplesOf } from './code-samples.ts';
import { earnedTrial, earnedTrialFor, trialButton } from './earned-trial.ts';
import type { Html } from './frame.ts';
import { headlineOf } from './headline.ts';
import { firstFree, welcome } from './hero.ts';
import { meterTable, meterTableLink } from './meter-table.ts';
import { hasFreeCalls, mine } from './mine.ts';
import * as PlanCard from './plan-card.ts';
import { priceList } from './price-list.ts';
import { type Allowance, trialAllowance } from './request-price.ts';
import { say } from './say.ts';
import type { AccountSummary, ShopFacts, TryForm } from './shop-facts.ts';
import { rawBody } from './try-fields.ts';
import { checkedId, requestForm } from './try-form.ts';
import type { TrialOutcome } from './try-it.ts';
import { tryRefusal, tryStatus } from './try-status.ts';
import { unitPrice } from './unit-price.ts';

/** The start page for people: services and prices, the "Try it" form, the plans, and code samples. */
export function front(texts: Texts, facts: ShopFacts): Html {
  const { catalog, description, summary, tried, refusedBuy = null } = facts;
  const { services, plans } = catalog;
  const isTaxAdded = TaxNote.isTaxAdded(catalog);
  const unit = sharedUnit(services);
  const earned = earnedTrial(texts, catalog, summary);
  const unpaid = summary?.unpaid ?? null;
  const shown = { isSignedIn: summary !== null, trial: summary?.trial ?? null, earned, unpaid };
  const best = PlanCard.highlighted(texts, catalog);
  const { trial } = tried;
  const isUnpaid = trial?.kind === 'refusal' && trial.isUnpaid === true;
  const own = summary === null ? '' : mine(texts, summary, catalog, isUnpaid);
  const isNew = summary === null && trial === null;
  const top = isNew ? welcome(texts, facts) : html`<h1>${headlineOf(texts, catalog).title}</h1>`;
  // The response that was asked for comes first.
  return html`${top}
${trial === null ? own : ''}${attempt(texts, facts)}${trial === null ? '' : own}
<section id="plans">
<h2>${say(texts, 'plans.title')}</h2>
<div class="cards plans">${plans.map((plan) => PlanCard.card(texts, plan, catalog, { ...shown, badge: plan.id === best?.id ? best.badge : null, offer: summary?.offers.get(plan.id), refused: refusedBuy?.plan === plan.id ? refusedBuy : null }))}</div>
${isTaxAdded ? html`<p class="soft">${say(texts, 'shop.tax_note')}</p>` : ''}
</section>
<section id="prices">
<h2>${say(texts, 'shop.services')}</h2>
${priceList(texts, catalog, description)}
${services.map((service) => (service.metering === undefined ? '' : meterTable(texts, service, service.metering)))}
<p class="soft">${isByUsage(services) || unit === 'unit' ? say(texts, 'shop.pay_only_usage') : say(texts, 'shop.pay_only', { units: texts.units(unit) })}</p>
</section>
${samples(texts, tried, facts)}`;
}

/** The "Try it" form. A new visitor sees its example above, with a link to the form. */
function attempt(texts: Texts, facts: ShopFacts): Html {
  const { tried, catalog, summary, isTrying, notice = null } = facts;
  const { operation, trial } = tried;
  const { operations, plans, services } = catalog;
  const trialPlan = trialOf(plans);
  const free =
    trialPlan && summary === null && isTrialImmediate(plans)
      ? html` ${firstFree(texts, trialPlan.included, unitOfPlan(trialPlan, services))}`
      : '';
  const isFree = summary !== null && hasFreeCalls(summary);
  const isOpen =
    isTrying || isFree || trial !== null || tried.typed !== null || tried.isRaw || tried.faults.length > 0;
  const choice = html`<label for="operation">${say(texts, 'try.operation')}</label><select id="operation" name="operation">${operations
    .filter(({ answeredBy }) => answeredBy === 'upstream')
    .map(
      (one) =>
        html`<option value="${one.id}" ${one.id === operation.id ? 'selected' : ''}>${optionOf(facts, one)}</option>`,
    )}</select>`;
  const form = requestForm(texts, tried, choice, {
    price: price(texts, operation, nameOf(facts, operation)),
    included: includedOf(facts),
  });
  if (!isOpen)
    return summary === null
      ? html``
      : html`<section><details><summary><h2>${say(texts, 'try.title')}</h2></summary><div id="try"><p class="soft">${say(texts, 'try.intro')}</p>${form}</div></details></section>`;
  return html`<section id="try"><h2>${say(texts, 'try.title')}</h2>
${notice ?? ''}${tried.faults.length === 0 ? '' : html`<p class="note"${tried.isChecked ? html` id="${checkedId}"` : ''} role="alert">${say(texts, faultNoteOf(tried))}</p>`}${trial === null ? html`<p class="soft">${say(texts, 'try.intro')}${free}</p>` : outcome(texts, trial, facts)}
${isAnswered(trial) ? html`<details class="again"><summary><h3>${say(texts, 'try.again')}</h3></summary>${form}</details>` : form}
</section>`;
}

function faultNoteOf({ faults }: TryForm): 'try.fault_raw' | 'try.fault_fields' {
  return faults.some(({ field }) => field === rawBody) ? 'try.fault_raw' : 'try.fault_fields';
}

/** The content of plans that pays for the shown operation before the balance does; null when that is not the same for all services. */
function includedOf({ catalog: { plans }, summary, tried }: ShopFacts): Allowance | null {
  const { service } = tried.operation;
  const isCovered = plans.every((plan) => plan.kind === 'credit' || covers(plan, service));
  if (!isCovered) return null;
  if (summary === null) return trialAllowance({ plans }, tried.operation);
  const usd = Money.parse(summary.includedUsd ?? '0') ?? Money.zero;
  return { left: service.metering === undefined ? summary.included : 0, usd, isFree: false };
}

/** True for a response. After an error the form stays open, for the request to be corrected. */
function isAnswered(trial: TrialOutcome | null): boolean {
  return trial?.kind === 'whole' && trial.status < 400;
}

/** The name of an operation in words, as the reference has it: that of its service when it has no other operation. */
export function nameOf(
  { catalog, description }: Pick<ShopFacts, 'catalog' | 'description'>,
  { method, path, service }: Operation,
): string {
  const isAlone = catalog.operations.filter((one) => one.service === service).length === 1;
  const { summary } = description.get(operationKey(method, path)) ?? {};
  return isAlone ? service.name : summary || `${method} ${path}`;
}

/** The name of an operation in the choice, with its method and path once. */
function optionOf(facts: ShopFacts, operation: Operation): string {
  const name = nameOf(facts, operation);
  const call = `${operation.method} ${operation.path}`;
  return name === call ? call : `${name} (${call})`;
}

/** The price of the shown operation, before it is called. */
function price(texts: Texts, { service, answeredBy }: Operation, name: string): Html {
  if (service.metering !== undefined)
    return say(texts, 'try.price', { operation: name, price: meterTableLink(texts, service) });
  const isFree = service.price === 0 || answeredBy === 'storefront';
  const each = unitPrice(texts, service);
  return say(texts, 'try.price', { operation: name, price: isFree ? say(texts, 'shop.free') : each });
}

/** The outcome of the request, above the form; after it a visitor who has an account is led to it. */
function outcome(texts: Texts, trial: TrialOutcome, { tried, catalog, summary }: ShopFacts): Html {
  const { operation, key } = tried;
  if (trial.kind === 'refusal') {
    const fields = { operation: operation.id, shown: operation.id, key };
    const earned = earnedTrialFor(texts, catalog, summary, operation.service);
    const free = earned === null ? null : trialButton(texts, earned, summary !== null);
    const isTrialNext = earned !== null && trial.lacksPlan === true;
    const message = isTrialNext ? texts.text('try.no_plan_trial', { quantity: earned }) : trial.message;
    return tryRefusal(texts, catalog.plans, { ...trial, message }, { action: '/shop/try#try', fields }, free);
  }
  const block = codeBlock(texts.text('try.response_body'), trial.body);
  if (!isAnswered(trial))
    return html`${tryStatus(texts, trial)}<details><summary>${say(texts, 'try.response_body')}</summary>${block}</details>`;
  return html`${tryStatus(texts, trial)}${block}
${summary === null ? '' : html`<p class="next">${say(texts, 'try.next', { keys: html`<a href="/shop/account/keys">${say(texts, 'steps.key_link')}</a>`, account: html`<a href="/shop/account">${say(texts, 'try.next_account')}</a>` })}</p>`}`;
}

/** The request of the "Try it" form as code. */
function samples(
  texts: Texts,
  { operation, path, body }: TryForm,
  {
    publicUrl,
    summary,
    description,
    catalog: { plans },
  }: Pick<ShopFacts, 'publicUrl' | 'summary' | 'description' | 'catalog'>,
): Html {
  const hasBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  const isFaulty = hasBody && body.trim() !== '' && bodyOf(body) === null;
  const token = summary?.token ?? sampleKey;
  const code = samplesOf({
    method: operation.method,
    baseUrl: publicUrl,
    path,
    body: hasBody ? bodyOf(isFaulty ? ExampleRequest.smallBody(operation, description) : body) : null,
    token,
  });
  const prompt = texts.text('code.prompt', {
    shop: publicUrl,
    llms: `${publicUrl}/llms.txt`,
    guide: `${publicUrl}${links.guide}?goal=...`,
  });
  return html`<section id="code"><h2>${say(texts, 'code.title')}</h2>
<p class="soft">${summary !== null ? ownToken(texts, summary) : tokenNote(texts, isTrialImmediate(plans) ? 'code.without_token_trial' : 'code.without_token')}</p>${isFaulty ? html`<p class="soft">${say(texts, 'reference.sample_example')}</p>` : ''}
${codeTabs(texts, 'code', [...code, { language: texts.text('code.prompt_name'), code: prompt }])}
</section>`;
}

/** Says what the token of the samples can do, or which key to put in its place. */
function ownToken(texts: Texts, { token }: Pick<AccountSummary, 'token'>): Html {
  if (token !== null) return tokenNote(texts, 'code.with_token');
  const link = html`<a href="/shop/account/keys">${say(texts, 'steps.key_link')}</a>`;
  return say(texts, 'code.own_key', { key: sampleKey, link });
}

function tokenNote(
  texts: Texts,
  key: 'code.with_token' | 'code.without_token' | 'code.without_token_trial',
): Html {
  const text = key === 'code.with_token' ? 'code.with_token_link' : 'code.without_token_link';
  return say(texts, key, { link: html`<a href="/auth.md">${say(texts, text)}</a>` });
}

/** A body as it was typed, where it is JSON. */
function bodyOf(text: string): SampleBody | null {
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Leads from a form to the card page: the policy `form-action` stops a form's redirect to another site. */
export function toCardPage(texts: Texts, url: string): Html {
  return html`<section><h1>${say(texts, 'buy.heading')}</h1><p>${say(texts, 'buy.text')}</p><a class="button" href="${url}">${say(texts, 'buy.link')}</a></section>`;
}

export function refused(texts: Texts, message: string, heading = texts.text('error.title')): Html {
  return html`<section><h1>${heading}</h1><p class="note" role="alert">${message}</p><a class="button" href="/">${say(texts, 'error.back')}</a></section>`;
}
