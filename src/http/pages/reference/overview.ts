import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import { exampleOperation } from '../../../catalog/example-request.ts';
import { isTrialImmediate, type Plan } from '../../../catalog/plan.ts';
import type { Texts } from '../../../text/texts.ts';
import { codeBlock, codeTabs } from '../code-block.ts';
import { sampleKey, samplesOf } from '../code-samples.ts';
import type { Html } from '../frame.ts';
import * as Markdown from '../markdown.ts';
import { say } from '../say.ts';
import * as Examples from './examples.ts';
import { priceOf } from './facts.ts';
import {
  type Chapter,
  type ChapterGroup,
  home,
  type OperationPage,
  type Outline,
  pagesOf,
} from './outline.ts';
import { firstSentence, refusalTable } from './refusals.ts';
import { requestId } from './response-examples.ts';
import { parameterTable } from './schema-table.ts';
import { snippet } from './snippet.ts';
import type { ReferenceWriter } from './writer.ts';

/** The first page: the quick start, authentication, the parts that all operations share, and the operations. */
export function overview(write: ReferenceWriter, outline: Outline): Html {
  const { texts, catalog } = write;
  const documents = ['openapi.json', 'auth.md', 'llms.txt', 'manifest.json'];
  const link = html`${documents.map((name, at) => html`${at === 0 ? '' : ', '}<a href="/${name}"><code>${name}</code></a>`)}`;
  return html`<h1>${say(texts, 'reference.heading', { shop: catalog.storefront.name })}</h1>
<p class="lead">${say(texts, 'reference.intro', { link })}</p>
${quickStart(write, outline)}
${outline.sold.map((group) => operations(write, group))}
${authentication(write)}
${headers(write, outline)}
${errors(write)}
${folded(texts, outline.own, '', html`<p>${say(texts, 'reference.storefront_text')}</p>${ownList(outline.own)}`)}`;
}

function quickStart(write: ReferenceWriter, outline: Outline): Html {
  const { texts, catalog, publicUrl } = write;
  const all = pagesOf(outline);
  const callable = all.filter(({ sold }) => sold?.answeredBy === 'upstream' && sold.socket === undefined);
  const page = callable.find(({ sold }) => sold?.id === exampleOperation(catalog).id) ?? callable[0];
  const register = {
    ...{ method: 'POST', baseUrl: publicUrl, path: '/agent/auth', token: null },
    body: { kind: 'json', value: { type: 'anonymous' } } as const,
  };
  const request = html`<code>POST /plans/{plan}/purchase</code>`;
  const isSold = (kind: Plan['kind']) => catalog.plans.some((plan) => plan.kind === kind);
  const onlyKey = isSold('credit') ? 'shop.buy_credit' : 'plans.subscribe';
  const payKey = isSold('credit') && isSold('subscription') ? 'reference.step_pay_link' : onlyKey;
  const purchase = all.find(({ entry }) => entry.id === 'plans.purchase');
  const start = html`<a href="/shop/account">${say(texts, 'reference.step_key_link')}</a>`;
  return html`<section id="quick-start"><h2>${say(texts, 'reference.nav_quick_start')}</h2>
<ol class="steps">
<li>${say(texts, isTrialImmediate(catalog.plans) ? 'reference.step_key_trial' : 'reference.step_key', { link: start })}</li>
<li>${say(texts, 'reference.step_call', { count: all.filter(({ sold }) => sold !== null).length })}</li>
<li>${say(texts, 'reference.step_pay', { link: html`<a href="/#plans">${say(texts, payKey)}</a>`, request: purchase === undefined ? html`${request}` : html`<a href="${purchase.path}">${request}</a>` })}</li>
</ol><div class="columns even"><div><h3>${say(texts, 'reference.sample_register')}</h3>${codeTabs(texts, 'register', samplesOf(register))}
</div>${page === undefined ? '' : html`<div><h3>${say(texts, 'reference.sample_call')}</h3>${codeTabs(texts, 'call', samplesOf({ ...Examples.requestOf(write, page), method: page.entry.method, baseUrl: publicUrl, token: sampleKey }))}</div>`}
</div></section>`;
}

function authentication({ texts }: ReferenceWriter): Html {
  const account = html`<a href="/shop/account">${say(texts, 'frame.account')}</a>`;
  const guide = html`<a href="/auth.md"><code>auth.md</code></a>`;
  const row = (name: Html, text: Html) => html`<tr><th scope="row">${name}</th><td>${text}</td></tr>`;
  return html`<section id="authentication"><h2>${say(texts, 'reference.nav_authentication')}</h2>
<div class="columns"><div><p>${say(texts, 'reference.auth_text')}</p>
<table class="fields stack"><thead class="hidden"><tr><th scope="col">${say(texts, 'reference.credential')}</th><th scope="col">${say(texts, 'reference.meaning')}</th></tr></thead><tbody>
${row(say(texts, 'reference.auth_key'), say(texts, 'reference.auth_key_text', { account }))}
${row(say(texts, 'reference.auth_token'), say(texts, 'reference.auth_token_text', { guide }))}
${row(say(texts, 'reference.auth_oauth'), say(texts, 'reference.auth_oauth_text', { guide }))}
</tbody></table><p>${say(texts, 'reference.auth_secret')}</p></div>
<div>${codeBlock(texts.text('reference.nav_authentication'), `Authorization: Bearer ${sampleKey}`)}</div></div></section>`;
}

/** The headers of requests and responses that all sold operations share. */
function headers(write: ReferenceWriter, outline: Outline): Html {
  const { texts, read, commonHeaders } = write;
  const [first] = pagesOf(outline).filter(({ sold }) => sold !== null);
  const responses = Object.entries(Schema.node(first?.entry.operation.responses));
  const [, success] = responses.find(([status]) => status.startsWith('2')) ?? [];
  const sent = [...commonHeaders].map((text) => read(JSON.parse(text)));
  const received = Object.entries(Schema.node(read(success).headers))
    .filter(([name]) => name.startsWith('storefront-'))
    .map(([name, header]) => ({ ...read(header), name, in: '', required: false }));
  return html`<section><details><summary><h2>${say(texts, 'reference.nav_headers')}</h2></summary><div id="headers">
<h3>${say(texts, 'reference.request')}</h3>${parameterTable(
    write,
    sent.map((one) => ({ ...one, in: '' })),
  )}
<h3>${say(texts, 'reference.response')}</h3>${parameterTable(write, received, false)}</div></details></section>`;
}

function errors(write: ReferenceWriter): Html {
  const { texts, common } = write;
  const example = {
    success: false,
    code: 'credit_exhausted',
    message: texts.text('reference.error_example'),
    request_id: requestId,
  };
  return html`<section><details><summary><h2>${say(texts, 'reference.nav_errors')}</h2></summary>
<div class="columns" id="errors"><div><p>${say(texts, 'reference.errors_text', { code: html`<code>code</code>`, retry: html`<code>Retry-After</code>` })}</p>
${refusalTable(write, common.list)}</div>
<div>${codeBlock(texts.text('reference.nav_errors'), JSON.stringify(example, null, 2))}</div></div></details></section>`;
}

/** The operations of a group of services. A price that all of them share is beside the heading. */
function operations({ texts }: ReferenceWriter, { name, chapters }: ChapterGroup): Html {
  const prices = chapters.map(({ service }) => (service === null ? null : priceOf(texts, service)));
  const isShared = new Set(prices).size === 1 && chapters.length > 1;
  const price = (at: number) =>
    isShared || prices[at] === null ? '' : html`<span class="soft cost">${prices[at]}</span>`;
  const shared = isShared && prices[0] !== null ? html` <span class="soft cost">${prices[0]}</span>` : '';
  const list = html`<ul class="list grid">${chapters.map((chapter, at) => {
    const [only] = chapter.pages;
    const isAlone = chapter.pages.length === 1 && only !== undefined;
    return html`<li><a href="${chapter.path}">${chapter.name}</a>${isAlone ? html`<div><span class="method">${only.entry.method}</span> <code>${only.entry.path}</code></div>` : html`<div class="soft">${say(texts, 'reference.operations', { count: chapter.pages.length })}</div>`}<p class="soft">${Markdown.line(chapter.description)}</p>${price(at)}</li>`;
  })}</ul>`;
  return folded(texts, { name, chapters }, shared, list);
}

/** A group with the number of its operations. It is closed on narrow screens and open on wide ones, where scripts set the attribute. */
function folded(texts: Texts, { name, chapters }: ChapterGroup, price: Html | string, list: Html): Html {
  const count = chapters.reduce((sum, { pages }) => sum + pages.length, 0);
  return html`<section><details class="fold"><summary><h2>${name}</h2> <span class="soft">${say(texts, 'reference.operations', { count })}</span>${price}</summary>${list}</details></section>`;
}

function ownList({ chapters }: ChapterGroup): Html {
  return html`<ul class="list grid">${chapters.map((chapter) => html`<li><a href="${chapter.path}">${chapter.name}</a><p class="soft">${Markdown.line(chapter.description)}</p></li>`)}</ul>`;
}

/** The page of a service with several operations. */
export function service({ texts, catalog }: ReferenceWriter, chapter: Chapter): Html {
  const { name, description, service: sold, pages } = chapter;
  const plans = catalog.plans.length;
  return html`<p class="crumbs"><a href="${home}">${say(texts, 'reference.title')}</a></p>
<h1>${name}</h1><p class="lead">${Markdown.line(description)}</p>
${sold === null || plans === 0 ? '' : html`<dl class="facts"><div><dt>${say(texts, 'reference.price')}</dt><dd>${priceOf(texts, sold)}</dd></div></dl>`}
${pageList(pages)}`;
}

/** The page of the storefront's own operations. */
export function own(
  write: ReferenceWriter,
  { name, chapters }: ChapterGroup,
  slugOf: (name: string) => string,
): Html {
  const { texts } = write;
  return html`<p class="crumbs"><a href="${home}">${say(texts, 'reference.title')}</a></p>
<h1>${name}</h1><p class="lead">${say(texts, 'reference.storefront_text')}</p>
${chapters.map((chapter) => html`<section id="${slugOf(chapter.name)}"><h2>${chapter.name}</h2><p>${Markdown.line(chapter.description)}</p>${pageList(chapter.pages, summed)}</section>`)}`;
}

/** The operations that a search found. `named`: those that the filter of the navigation shows for the same words. */
export function found(
  { texts, read }: ReferenceWriter,
  words: string,
  { named, inside }: { named: readonly OperationPage[]; inside: readonly OperationPage[] },
): Html {
  const part = (key: 'reference.found_by_name' | 'reference.found_inside', some: readonly OperationPage[]) =>
    some.length === 0
      ? ''
      : html`<h2>${say(texts, key, { count: some.length })}</h2>${pageList(some, (page) => html`<p class="soft found">${snippet(read, page, words)}</p>`)}`;
  return html`<h1>${say(texts, 'reference.found', { words })}</h1>
${named.length + inside.length === 0 ? html`<p>${say(texts, 'reference.nothing_found')}</p>` : html`${part('reference.found_by_name', named)}${part('reference.found_inside', inside)}`}`;
}

/** The first sentence of the description of an operation. */
function summed({ entry }: OperationPage): Html {
  const text = firstSentence(Schema.text(entry.operation.description));
  return html`<p class="soft">${Markdown.line(text)}</p>`;
}

/** `about`: a paragraph below an operation. */
function pageList(
  pages: readonly OperationPage[],
  about: (page: OperationPage) => Html = () => html``,
): Html {
  return html`<ul class="list grid">${pages.map((page) => html`<li><a href="${page.path}">${page.title}</a><div><span class="method">${page.entry.method}</span> <code>${page.entry.path}</code></div>${about(page)}</li>`)}</ul>`;
}
