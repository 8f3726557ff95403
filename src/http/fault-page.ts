import { html } from 'hono/html';
import * as Frame from './pages/frame.ts';
import { say } from './pages/say.ts';
import type { Reply } from './reply.ts';

/** Shows an unexpected error to a person: what happened, what to do, and the id to quote. */
export function faultPage(shop: Frame.PageContext, fault: Reply, requestId: string): Response {
  const { status, headers, body } = fault;
  const { message } = body as { message: string };
  const { texts } = shop;
  const retry = headers['retry-after'];
  return Frame.respondWithPage(status, shop, {
    title: texts.text('error.title'),
    main: html`<section><h1>${say(texts, 'error.title')}</h1><p>${message}</p><p class="soft">${say(texts, 'error.request', { id: requestId })}</p></section>`,
    more: typeof retry === 'string' ? { 'retry-after': retry } : {},
  });
}

/** The 404 for people, with links to the shop; programs get the error as JSON. */
export function notFoundPage(shop: Frame.PageContext): Response {
  const { texts } = shop;
  return Frame.respondWithPage(404, shop, {
    title: texts.text('not_found.title'),
    main: html`<section><h1>${say(texts, 'not_found.title')}</h1><p>${say(texts, 'not_found.text')}</p><a class="button" href="/">${say(texts, 'not_found.shop')}</a> <a class="button plain" href="/docs">${say(texts, 'shop.see_reference')}</a></section>`,
  });
}
