import { operationKey } from '@sluice/kernel/operation-key';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type * as Description from '../../catalog/description.ts';
import type { Operation } from '../../catalog/operation.ts';
import { isTrialImmediate, type Plan, trialOf } from '../../catalog/plan.ts';
import { isByUsage, sharedUnit, unitOfPlan } from '../../catalog/plan-unit.ts';
import type { Service } from '../../catalog/service.ts';
import * as TaxNote from '../../catalog/tax-note.ts';
import { path as links } from '../../discovery/paths.ts';
import type { Texts } from '../../text/texts.ts';
import { codeBlock, codeTabs } from './code-block.ts';
import { type SampleBody, sampleKey, samplesOf } from './code-samples.ts';
import type { Html } from './frame.ts';
import { headlineOf } from './headline.ts';
import { firstFree, welcome } from './hero.ts';
import { meterTable, meterTableLink } from './meter-table.ts';
import * as PlanCard from './plan-card.ts';
import { say } from './say.ts';
import type { AccountSummary, ShopFacts, TryForm } from './shop-facts.ts';
import { checkedId, requestForm } from './try-form.ts';
import type { TrialOutcome } from './try-it.ts';
import { tryRefusal, tryStatus } from './try-status.ts';
import { unitPrice } from './unit-price.ts';

/** Longer lists of services with one price are folded. */
const foldedAbove = 8;

/** The start page for people: services and prices, the "Try it" form, the plans, and code samples. */
export function front(texts: Texts, facts: ShopFacts): Html {
  const { catalog, description, publicUrl, summary, tried, refusedBuy = null } = facts;
  const { services, plans } = catalog;
  const isTaxAdded = TaxNote.isTaxAdded(catalog);
  const unit = sharedUnit(services);
  const shown = { isSignedIn: summary !== null, isTaxAdded };
  const best = PlanCard.highlighted(texts, plans);
  const own = summary === null ? '' : mine(texts, summary, catalog);
  const isNew = summary === null && tried.trial === null;
  const top = isNew ? welcome(texts, facts) : html`<h1>${headlineOf(texts, catalog).title}</h1>`;
  // The response that was asked for comes first.
  return html`${top}
${tried.trial === null ? own : ''}${attempt(texts, facts)}${tried.trial === null ? '' : own}
<section id="plans">
<h2>${say(texts, 'plans.title')}</h2>
<div class="cards plans">${plans.map((plan) => PlanCard.card(texts, plan, catalog, { ...shown, badge: plan.id === best?.id ? best.badge : null, offer: summary?.offers.get(plan.id), refused: refusedBuy?.plan === plan.id ? refusedBuy : null }))}</div>
${isTaxAdded ? html`<p class="soft">${say(texts, 'shop.tax_note')}</p>` : ''}
</section>
<section id="prices">
<h2>${say(texts, 'shop.services')}</h2>
${priceList(texts, catalog, description)}
${services.map((service) => (service.metering === undefined ? '' : meterTable(texts, service, service.metering)))}
<p class="soft">${isByUsage(services) ? say(texts, 'shop.pay_only_usage') : say(texts, 'shop.pay_only', { units: texts.units(unit) })}</p>
</section>
${samples(texts, tried, publicUrl, summary)}`;
}

function mine(
  texts: Texts,
  { balance, included, includedUsd }: AccountSummary,
  { services, plans }: Pick<Catalog, 'services' | 'plans'>,
): Html {
  const unit = sharedUnit(services);
  const hasUnits = included > 0 || services.some(({ metering }) => metering === undefined);
  return html`<section class="mine" aria-labelledby="mine"><h2 id="mine">${say(texts, 'shop.mine')}</h2>
<dl class="facts">
<div><dt>${say(texts, 'shop.balance')}</dt><dd id="balance">${texts.usd(balance)}</dd></div>
${hasUnits ? html`<div><dt>${say(texts, 'shop.plan_units', { units: texts.units(unit) })}</dt><dd id="included">${texts.number(included)}</dd></div>` : ''}
${includedUsd === null ? '' : html`<div><dt>${say(texts, 'shop.plan_usage')}</dt><dd id="included_usd">${texts.usd(includedUsd)}</dd></div>`}
</dl><div class="actions"><a class="button" href="#plans">${say(texts, plans.some(({ kind }) => kind === 'credit') ? 'try.add_credit' : 'shop.see_plans')}</a><a class="button plain" href="/shop/account/keys">${say(texts, 'shop.create_key')}</a></div></section>`;
}

/** The table of services. A long one with one price is folded under that price. */
function priceList(texts: Texts, catalog: Catalog, description: Description.Description): Html {
  const { services } = catalog;
  const table = html`<div class="wide"><table class="stack">
<thead><tr><th scope="col">${say(texts, 'shop.service')}</th><th scope="col">${say(texts, 'shop.operations')}</th><th scope="col" class="number">${say(texts, 'shop.price')}</th></tr></thead>
${grouped(services).map(([group, own]) => html`<tbody>${group === '' ? '' : html`<tr><th colspan="3" scope="rowgroup" class="soft">${group}</th></tr>`}${own.map((service) => row(texts, service, catalog, description))}</tbody>`)}
</table></div>`;
  const isFree = ({ price, metering }: Service) => metering === undefined && price === 0;
  const priced = services.filter((service) => !isFree(service));
  const free = services.filter(isFree).map(({ name }) => name);
  const [first] = priced;
  const isOnePrice = priced.every(
    (one) => one.metering === undefined && one.price === first?.price && one.unit === first.unit,
  );
  if (services.length <= foldedAbove || first === undefined || !isOnePrice) return table;
  return html`<p>${say(texts, 'shop.one_price', { price: unitPrice(texts, first) })}${free.length === 0 ? '' : html` ${say(texts, 'shop.free_services', { services: free.join(', ') })}`}</p>
<details><summary>${say(texts, 'shop.all_services', { count: services.length })}</summary>${table}</details>`;
}

/** Services by the group that the catalogue gives them; '' for none. */
function grouped(services: readonly Service[]): [string, Service[]][] {
  const groups = new Map<string, Service[]>();
  for (const service of services)
    groups.set(service.group ?? '', [...(groups.get(service.group ?? '') ?? []), service]);
  return [...groups];
}

function row(
  texts: Texts,
  service: Service,
  { operations }: Catalog,
  description: Description.Description,
): Html {
  const own = operations.filter((operation) => operation.service === service);
  return html`<tr><th scope="row">${service.name}<br><span class="soft" style="font-weight:400">${service.description}</span></th>
<td>${own.map((operation) => call(operation, description))}</td>
<td class="number">${service.metering !== undefined ? meterTableLink(texts, service) : service.price === 0 ? say(texts, 'shop.free') : unitPrice(texts, service)}</td></tr>`;
}

function call(operation: Operation, description: Description.Description): Html {
  const { method, path, service } = operation;
  const text = description.get(operationKey(method, path))?.summary ?? null;
  const name = html`<code>${method} ${path}</code>`;
  const link = html`<a href="/docs/${service.slug}">${name}</a>`;
  return html`<div>${link}${text === null || text === operation.service.name ? '' : html` <span class="soft">${text}</span>`}</div>`;
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
  const isOpen = isTrying || trial !== null || tried.typed !== null || tried.isRaw || tried.faults.length > 0;
  const choice = html`<label for="operation">${say(texts, 'try.operation')}</label><select id="operation" name="operation">${operations
    .filter(({ answeredBy }) => answeredBy === 'upstream')
    .map(
      (one) =>
        html`<option value="${one.id}" ${one.id === operation.id ? 'selected' : ''}>${nameOf(facts, one)} (${one.method} ${one.path})</option>`,
    )}</select>`;
  const form = requestForm(texts, tried, choice, price(texts, operation, nameOf(facts, operation)));
  if (!isOpen)
    return summary === null
      ? html``
      : html`<section><details><summary><h2>${say(texts, 'try.title')}</h2></summary><div id="try"><p class="soft">${say(texts, 'try.intro')}</p>${form}</div></details></section>`;
  return html`<section id="try"><h2>${say(texts, 'try.title')}</h2>
${notice ?? ''}${tried.faults.length === 0 ? '' : html`<p class="note"${tried.isChecked ? html` id="${checkedId}"` : ''} role="alert">${say(texts, 'try.fault_fields')}</p>`}${trial === null ? html`<p class="soft">${say(texts, 'try.intro')}${free}</p>` : outcome(texts, trial, tried, plans, summary !== null)}
${isAnswered(trial) ? html`<details class="again"><summary><h3>${say(texts, 'try.again')}</h3></summary>${form}</details>` : form}
</section>`;
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

/** The price of the shown operation, before it is called. */
function price(texts: Texts, { service, answeredBy }: Operation, name: string): Html {
  if (service.metering !== undefined)
    return say(texts, 'try.price', { operation: name, price: meterTableLink(texts, service) });
  const isFree = service.price === 0 || answeredBy === 'storefront';
  const each = unitPrice(texts, service);
  return say(texts, 'try.price', { operation: name, price: isFree ? say(texts, 'shop.free') : each });
}

/** The outcome of the request, above the form; after it a visitor who has an account is led to it. */
function outcome(
  texts: Texts,
  trial: TrialOutcome,
  { operation: { id }, key }: TryForm,
  plans: readonly Plan[],
  hasAccount: boolean,
): Html {
  if (trial.kind === 'refusal')
    return tryRefusal(texts, plans, trial, {
      action: '/shop/try#try',
      fields: { operation: id, shown: id, key },
    });
  const { body, isCut } = trial;
  const block = codeBlock(texts.text('try.response_body'), body);
  if (!isAnswered(trial))
    return html`${tryStatus(texts, trial)}<details><summary>${say(texts, 'try.response_body')}</summary>${block}</details>`;
  return html`${tryStatus(texts, trial)}${block}
${isCut ? html`<p class="soft">${say(texts, 'try.cut')}</p>` : ''}${hasAccount ? html`<p class="next">${say(texts, 'try.next', { keys: html`<a href="/shop/account/keys">${say(texts, 'steps.key_link')}</a>`, account: html`<a href="/shop/account">${say(texts, 'try.next_account')}</a>` })}</p>` : ''}`;
}

/** The request of the "Try it" form as code. */
function samples(
  texts: Texts,
  { operation, path, body }: TryForm,
  publicUrl: string,
  summary: AccountSummary | null,
): Html {
  const hasBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  const token = summary?.token ?? sampleKey;
  const code = samplesOf({
    method: operation.method,
    baseUrl: publicUrl,
    path,
    body: hasBody ? bodyOf(body) : null,
    token,
  });
  const prompt = texts.text('code.prompt', {
    shop: publicUrl,
    llms: `${publicUrl}/llms.txt`,
    guide: `${publicUrl}${links.guide}?goal=...`,
  });
  return html`<section id="code"><h2>${say(texts, 'code.title')}</h2>
<p class="soft">${tokenNote(texts, summary !== null)}</p>
${codeTabs(texts, 'code', [...code, { language: texts.text('code.prompt_name'), code: prompt }])}
</section>`;
}

function tokenNote(texts: Texts, hasToken: boolean): Html {
  const key = hasToken ? 'code.with_token' : 'code.without_token';
  return say(texts, key, { link: html`<a href="/auth.md">${say(texts, `${key}_link`)}</a>` });
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

/** A purchase before it is paid, with the outcome of its promotion code. Amounts are formatted. */
export type PurchaseReview = {
  plan: string;
  due: string;
  codeResult: string;
  isTaxAdded: boolean;
  url: string;
};

/** Shows what is due and what the promotion code gave, and leads to the card page. */
export function review(texts: Texts, { plan, due, codeResult, isTaxAdded, url }: PurchaseReview): Html {
  return html`<section><h1>${say(texts, 'buy.review')}</h1>
<dl class="facts"><div><dt>${say(texts, 'buy.review_plan')}</dt><dd>${plan}</dd></div><div><dt>${say(texts, 'buy.review_due')}</dt><dd>${due}</dd></div></dl>
<h2>${say(texts, 'buy.review_code')}</h2><p class="ok" role="status">${codeResult}</p>
${isTaxAdded ? html`<p>${say(texts, 'buy.review_tax')}</p>` : ''}<p class="soft">${say(texts, 'buy.review_text')}</p>
<div class="actions"><a class="button" href="${url}">${say(texts, 'buy.review_pay')}</a><a class="button plain" href="/#plans">${say(texts, 'error.back')}</a></div></section>`;
}

export function refused(texts: Texts, message: string, heading = texts.text('error.title')): Html {
  return html`<section><h1>${heading}</h1><p class="note" role="alert">${message}</p><a class="button" href="/">${say(texts, 'error.back')}</a></section>`;
}
