import { path as identity } from '@sluice/kernel/endpoints';
import * as Schema from '@sluice/kernel/json-schema';
import * as Money from '@sluice/kernel/money';
import { operationKey } from '@sluice/kernel/operation-key';
import type { Catalog } from '../catalog/catalog.ts';
import * as Included from '../catalog/included.ts';
import * as MeterPrices from '../catalog/meter-prices.ts';
import { isTrialImmediate, type Plan, proofsOf, type TrialPlan } from '../catalog/plan.ts';
import * as PriceWords from '../catalog/price-words.ts';
import { isFree } from '../catalog/service.ts';
import * as TaxNote from '../catalog/tax-note.ts';
import { english } from '../text/texts.ts';
import * as CommonMistakes from './common-mistakes.ts';
import type { Entry } from './entry.ts';
import { path } from './paths.ts';
import type { Reference } from './reference.ts';

const exampleCharsMax = 1_200;
const nameCharsMax = 64;
const descriptionCharsMax = 1_000;

/** Returns the text of /llms.txt: an introduction to the shop, with links. Markdown as specified at llmstxt.org. */
export function llms({ catalog, context: { baseUrl } }: Reference): string {
  const { storefront, services } = catalog;
  const about = line(storefront.description);
  return `# ${line(storefront.name)}
${about === '' ? '' : `\n> ${about}\n`}
An HTTP API that programs and AI agents buy by themselves: ${steps(catalog)}. ${least(catalog)}Errors and empty answers cost nothing.

## Start

- [How to use this shop](${baseUrl}${path.skill}): register, ask, call, buy, in four requests
- [Free advice](${baseUrl}${path.guide}?goal=${exampleGoal(catalog)}): replace the goal; answers with operations, ready requests, costs and the plan to buy
- [How to register](${baseUrl}${identity.guide}): the identity in words and in curl
- [MCP](${baseUrl}${path.mcp}): operations found by search and called as tools, over streamable HTTP, with the same token
- [OpenAPI 3.1](${baseUrl}${path.openapi}): ten operations a page; \`?q=words\` finds some, \`?page=all\` is everything
- [Prices](${baseUrl}${path.manifest}): services, plans and prices; the authority for prices

## Common mistakes

${CommonMistakes.lines({ catalog, baseUrl })}

## Services

${services.map((it) => serviceEntry(it, baseUrl)).join('\n')}

## Optional

- [Everything in one text](${baseUrl}${path.llmsFull}): every operation with its price and an example
- [Signed prices](${baseUrl}${path.signedManifest}): the manifest as a JWS, which [the shop's keys](${baseUrl}${identity.keys}) verify
- [API catalogue](${baseUrl}${path.apiCatalog}): RFC 9727
`;
}

/** States the steps to a paid call, as far as the shop has plans for them. */
function steps({ plans }: Catalog): string {
  const has = (kind: Plan['kind']) => plans.some((plan) => plan.kind === kind);
  const known = [
    'one free request registers',
    ...(has('trial')
      ? [isTrialImmediate(plans) ? 'the trial pays for the first calls' : 'a proof earns the trial']
      : []),
    ...(has('credit') ? ['credit is bought by card'] : []),
    ...(has('subscription') ? ['subscriptions are bought by card'] : []),
  ];
  return new Intl.ListFormat('en').format(known);
}

/** Returns an example of a goal, as the value of a query parameter: the first service of the shop. */
function exampleGoal({ services }: Catalog): string {
  return encodeURIComponent(services[0]?.name.toLowerCase() ?? '').replaceAll('%20', '+');
}

/** Returns the text of /llms-full.txt: the plans, and every sold operation with its price and an example. */
export function llmsFull(reference: Reference): string {
  const { catalog, entries, context } = reference;
  const sold = entries.filter(({ service }) => service !== null);
  return `${howTo(reference)}
## Plans

${catalog.plans.map((plan) => `- \`${plan.id}\` ${line(plan.name)}: ${terms(plan)}`).join('\n')}

A plan is bought by \`POST ${context.baseUrl}/plans/{planId}/purchase\`; of credit also with \`{"amount_usd":"5.00"}\`.

## Operations

${sold.map((entry) => operation(reference, entry)).join('\n\n')}
`;
}

/** Returns the text of /skill.md: how an agent uses the shop, with the front matter that agents choose skills by. */
export function skill(reference: Reference): string {
  const { catalog, entries } = reference;
  const { name, description } = catalog.storefront;
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, nameCharsMax);
  const about = `${line(description)} Use it for: ${catalog.services.map((it) => line(it.name).toLowerCase()).join(', ')}.`;
  const sold = entries.filter(({ service }) => service !== null);
  return `---
name: ${slug || 'shop'}
description: ${JSON.stringify(about.slice(0, descriptionCharsMax))}
---

${howTo(reference)}
## What there is to call

${sold.map((it) => `- \`${it.method} ${it.path}\`: ${line(it.summary)}, ${price(catalog, it)}`).join('\n')}

The body of one: \`GET ${reference.context.baseUrl}${path.openapi}?path=${sold[0]?.path}\`, or ask the guide for a ready request.
`;
}

function howTo({ catalog, context: { baseUrl } }: Reference): string {
  const taxNote = TaxNote.taxNote(english, catalog);
  const json = "-H 'content-type: application/json'";
  const about = line(catalog.storefront.description);
  return `# ${line(catalog.storefront.name)}
${about === '' ? '' : `\n${about}\n`}
1. Register once, without a human. Keep \`access_token\` (one hour) and \`identity_assertion\` (the way back).

   \`\`\`sh
   curl -sS ${baseUrl}${identity.register} ${json} -d '{"type":"anonymous"}'
   \`\`\`

2. Ask what to call. Free; the answer has ready requests, costs and the plan to buy.

   \`\`\`sh
   curl -sS -G ${baseUrl}${path.guide} --data-urlencode 'goal=what you want, in plain words'
   \`\`\`

3. Call with \`authorization: Bearer <access_token>\`. ${counted(catalog)}, \`storefront-cost-usd\` and \`storefront-balance-usd\` in the answer say what it cost. \`Storefront-Max-Cost: 0.010\` refuses what could cost more.

4. Buy when a refusal says so: 403 \`plan_required\` and 402 \`credit_exhausted\` list \`plans\`, each with the request that buys it for your account: send it unchanged. It answers 402 with challenges that an agent pays (MPP, x402) and \`checkout_url\` for a person. Send the refused call again afterwards.${taxNote === null ? '' : ` ${taxNote}`}

The same as tools: MCP over streamable HTTP at ${baseUrl}${path.mcp}.

More on tokens: ${baseUrl}${identity.guide}. 429: wait as \`Retry-After\` says. 422: \`errors\` names each field and the nearest right one. Refusals, errors and empty answers cost nothing.

${CommonMistakes.section({ catalog, baseUrl })}`;
}

function operation({ catalog }: Reference, entry: Entry): string {
  const content = Schema.node(
    Schema.node(Schema.node(entry.operation.requestBody).content)['application/json'],
  );
  const example = content.example === undefined ? '' : JSON.stringify(content.example);
  const parameters = Schema.list(entry.operation.parameters)
    .map(Schema.node)
    .filter(({ in: place }) => place === 'path' || place === 'query')
    .map(
      (it) =>
        `\`${Schema.text(it.name)}\` (${Schema.text(it.in)}${it.required === true ? ', required' : ''})`,
    );
  const described = line(Schema.text(entry.operation.description));
  return [
    `### ${entry.method} ${entry.path}`,
    `${line(entry.summary)}. ${price(catalog, entry)}.`,
    ...(described === '' ? [] : [described]),
    ...(parameters.length > 0 ? [`Parameters: ${parameters.join(', ')}.`] : []),
    ...(example !== '' && example.length <= exampleCharsMax ? [`\`\`\`json\n${example}\n\`\`\``] : []),
  ].join('\n\n');
}

function price({ operations, services }: Catalog, { method, path, service }: Entry): string {
  const key = operationKey(method.toUpperCase(), path);
  const sold = operations.find((it) => operationKey(it.method, it.path) === key);
  if (sold !== undefined) return line(PriceWords.callInWords(sold));
  const found = services.find(({ slug }) => slug === service);
  return found === undefined ? 'free' : priced(found);
}

/** A service with its price; the prices of meters by model are a list of their own. */
function serviceEntry(service: Catalog['services'][number], baseUrl: string): string {
  const { slug, name, description, metering } = service;
  const head = `- [${line(name)}](${baseUrl}/services/${slug}): ${line(description)}`.trimEnd();
  const tables = metering === undefined ? [] : MeterPrices.allTables(metering);
  const isSaid = isFree(service) && /\bfree\.?$/i.test(head);
  if (metering === undefined || tables.length < 2) return isSaid ? head : `${head} ${priced(service)}`;
  const rows = tables.map(
    (table) => `  - ${line(table.key)}: ${line(MeterPrices.tableInWords(metering, table))}`,
  );
  return [head, ...rows].join('\n');
}

function priced(service: Catalog['services'][number]): string {
  return line(PriceWords.priceInWords(service));
}

function least(catalog: Catalog): string {
  const credit = catalog.plans.find((plan) => plan.kind === 'credit');
  return credit === undefined ? '' : `Credit starts at ${Money.format(credit.min)} USD. `;
}

function terms(plan: Plan): string {
  switch (plan.kind) {
    case 'trial':
      return `${earning(plan)}, ${Included.describe(plan.included)}, and ${Included.usd(plan.includedWhenClaimed) ?? plan.includedWhenClaimed.amount}${plan.included.asset === 'usd' ? ' USD' : ''} more when a person claims the account`;
    case 'credit':
      return `prepaid, ${Money.format(plan.min)} to ${Money.format(plan.max)} USD`;
    case 'subscription':
      return `${Money.format(plan.price)} USD a ${plan.every}, ${Included.describe(plan.included)}, ${plan.requestsPerSecond} calls a second`;
  }
}

const proving = {
  email: 'a claim with an email address',
  card: 'a payment with a card',
  wallet: 'a registration with a wallet',
} as const;

/** States how a trial is obtained, and how often. */
function earning(plan: TrialPlan): string {
  const proofs = proofsOf(plan).map((fact) => proving[fact]);
  const how =
    proofs.length === 0
      ? 'free with registration'
      : `free after ${new Intl.ListFormat('en', { type: 'disjunction' }).format(proofs)}`;
  return plan.oncePer.length === 0
    ? how
    : `${how} (\`once_per\`: once for each ${plan.oncePer.map((fact) => (fact === 'address' ? 'network address' : fact)).join(', ')})`;
}

/** The response headers that state what was counted. */
function counted({ services }: Catalog): string {
  const [units, meters] = ['`storefront-units`', '`storefront-usage` (the quantity of each meter)'];
  if (services.every(({ metering }) => metering === undefined)) return units;
  return services.some(({ metering, price }) => metering === undefined && price > 0)
    ? `${units} or ${meters}`
    : meters;
}

/** Returns text of the catalogue or a description on one line. */
function line(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
