import { STATUS_CODES } from 'node:http';
import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import type { Texts } from '../../../text/texts.ts';
import { codeBlock, codeTabs, type Samples } from '../code-block.ts';
import { type SampleRequest, sampleKey, samplesOf } from '../code-samples.ts';
import type { Html } from '../frame.ts';
import * as Markdown from '../markdown.ts';
import { meterTable } from '../meter-table.ts';
import { say } from '../say.ts';
import * as Examples from './examples.ts';
import { facts } from './facts.ts';
import { home, type OperationPage } from './outline.ts';
import { isSuccess, ownRefusals } from './refusals.ts';
import { isProof, responseExamples } from './response-examples.ts';
import type { SchemaWriter } from './schema-kind.ts';
import { fieldTable, parameterTable } from './schema-table.ts';
import type { ReferenceWriter } from './writer.ts';

/** The page of an operation. */
export function operation(writer: ReferenceWriter, page: OperationPage): Html {
  const write = { ...writer, lists: new Map() };
  const { texts, read, catalog } = write;
  const { entry, chapter, sold } = page;
  const { operation: described } = entry;
  const body = read(described.requestBody);
  const parameters = Schema.list(described.parameters)
    .filter((one) => !write.commonHeaders.has(JSON.stringify(one)))
    .map(read);
  const { service } = chapter;
  return html`${heading(write, page)}
${facts(texts, catalog, page)}
<div class="columns operation"><div>
${Markdown.blocks(sold === null ? Schema.text(described.description) : withoutCost(Schema.text(described.description)))}
${service?.metering === undefined ? '' : html`${linked(texts, 'prices')}${meterTable(texts, service, service.metering)}`}
${parameters.length === 0 ? '' : html`${linked(texts, 'parameters')}${parameterTable(write, parameters)}`}
${bodyTable(write, body)}
${sold === null ? '' : html`<p class="soft">${say(texts, 'reference.common_headers', { link: html`<a href="${home}#headers">${say(texts, 'reference.common_headers_link')}</a>` })}</p>`}
</div>
<div class="samples">${samples(write, page)}</div>
<div>${responses(write, described)}
${ownRefusals(write, described, write.common)}</div></div>`;
}

/** The heading of a part of the page, with a link to it. */
function linked(texts: Texts, part: 'prices' | 'parameters' | 'body' | 'response'): Html {
  const name = texts.text(`reference.${part}`);
  const id = `part-${part}`;
  return html`<h2 id="${id}">${name} <a class="anchor" href="#${id}" aria-label="${texts.text('reference.link_to', { name })}"></a></h2>`;
}

/** A description without the paragraph about the cost: that is the seller's cost upstream. The page shows the price of the shop. */
function withoutCost(description: string): string {
  return description.replace(/(^|\n\n)Costs?: [^\n]*(?:\n(?!\n)[^\n]*)*/, '').trim();
}

/** The title of an operation, its method and path, and the way to it. */
export function heading({ texts }: ReferenceWriter, { entry, chapter, title }: OperationPage): Html {
  const isAlone = chapter.service !== null && chapter.pages.length === 1;
  const above = isAlone ? '' : html` / <a href="${chapter.path}">${chapter.name}</a>`;
  return html`<p class="crumbs"><a href="${home}">${say(texts, 'reference.title')}</a>${above}</p>
<h1>${title}</h1>
<p class="call"><span class="method">${entry.method}</span> <code>${entry.path}</code></p>`;
}

function bodyTable(write: ReferenceWriter, body: Schema.Node): Html {
  const content = Object.entries(Schema.node(body.content));
  const [type, media] = content.find(([name]) => Examples.isJson(name)) ?? content[0] ?? [];
  if (type === undefined) return html``;
  return html`${linked(write.texts, 'body')}${Examples.isJson(type) ? '' : html`<p><code>${type}</code></p>`}
${Markdown.blocks(Schema.text(body.description))}${fieldTable(write, write.read(media).schema, true)}`;
}

/** The successful responses with their fields. */
function responses(write: ReferenceWriter, described: Schema.Node): Html {
  const { texts, read } = write;
  const found = Object.entries(Schema.node(described.responses)).filter(([status]) => isSuccess(status));
  return html`${linked(texts, 'response')}
${found.map(([status, response]) => {
  const { content, description } = read(response);
  const [, media] = Object.entries(Schema.node(content)).find(([name]) => Examples.isJson(name)) ?? [];
  return html`<p><code>${status}</code> ${successOf(status, Schema.text(description))}</p>${media === undefined ? '' : fieldTable(write, read(media).schema, false)}`;
})}`;
}

/** The description of a successful response; the words of its status where the description says nothing. */
function successOf(status: string, description: string): Html | string {
  return /^(the )?(response|ok|success|successful response)?\.?$/i.test(description.trim())
    ? (STATUS_CODES[status] ?? '')
    : Markdown.line(description);
}

function samples(write: ReferenceWriter, page: OperationPage): Html {
  const { texts } = write;
  const { operation: described, method, path } = page.entry;
  const examples = responseExamples(write, page);
  const [first] = examples;
  return html`${isProof(described) ? proofSamples(write, page) : html`<h2>${say(texts, 'reference.request')}</h2>${codeTabs(texts, 'request', codeOf(write, page))}`}
${canBeTried(write, page) ? html`<a class="button" href="${tryPath(page)}">${say(texts, 'reference.try')}</a>` : ''}
${first === undefined ? '' : examples.length > 1 ? html`<h2>${say(texts, 'reference.example')}</h2>${codeTabs(texts, 'response', examples, 'reference.status')}` : html`<h2>${say(texts, 'reference.response')} <code>${first.language}</code></h2>${codeBlock(texts.text('reference.response_of', { operation: `${method} ${path}` }), first.code)}`}`;
}

/** The two requests of a wallet: for what to sign, and with the signature. */
function proofSamples(write: ReferenceWriter, page: OperationPage): Html {
  const { texts } = write;
  const proof = ['Payment-Signature', 'SIGNED_PAYMENT'] as const;
  return html`<h2>${say(texts, 'reference.request_unsigned')}</h2>${codeTabs(texts, 'request', codeOf(write, page, null))}
<h2>${say(texts, 'reference.request_signed')}</h2>${codeTabs(texts, 'signed', codeOf(write, page, proof))}`;
}

/** @param proof the header with the signature of a wallet in place of a bearer; null for none yet */
function codeOf(write: ReferenceWriter, page: OperationPage, proof?: SampleRequest['proof'] | null): Samples {
  const { operation: described, method } = page.entry;
  const isOpen = proof !== undefined || Schema.list(described.security).length === 0;
  return samplesOf({
    ...Examples.requestOf(write, page),
    ...(proof && { proof }),
    method,
    baseUrl: write.publicUrl,
    token: isOpen ? null : sampleKey,
  });
}

/** Returns true when the page that sends requests can send those of the operation: with a body of JSON or none, to the upstream. */
export function canBeTried(write: SchemaWriter, { sold, entry }: OperationPage): boolean {
  if (sold === null || sold.answeredBy !== 'upstream' || sold.socket !== undefined) return false;
  const { body } = Examples.requestOf(write, { entry, sold });
  return body === null || body.kind === 'json';
}

/** The address of the page that sends requests to an operation. */
export function tryPath({ path }: OperationPage): string {
  return `/shop/request${path.slice(home.length)}`;
}
