import { html } from 'hono/html';
import * as Accept from './pages/accept.ts';
import * as Frame from './pages/frame.ts';
import { say } from './pages/say.ts';
import type { Call } from './request-context.ts';

/** An error for a person. */
export type PageFault = {
  status: number;
  /** What happened and why. */
  message: string;
  /** Headers of the error that the page keeps. */
  headers?: Readonly<Record<string, string>>;
  requestId?: string;
  /** The request that failed, where a repetition can succeed: the fields of its form, or null for a page. */
  again?: { target: string; form: URLSearchParams | null };
};

/** Errors after which the same request can succeed. */
const temporary = new Set([408, 429, 500, 502, 503, 504]);
const kept = ['retry-after', 'allow', 'www-authenticate'];
/** Longer forms are not repeated by a button. */
const formCharsMax = 64 * 1024;

/** Shows an error to a person: what happened, why, the next step, and the id to quote. What they typed is kept. */
export function errorPage(shop: Frame.PageContext, fault: PageFault): Response {
  const { status, message, headers = {}, requestId, again } = fault;
  const { texts } = shop;
  const title = texts.text(titleOf(status));
  const seconds = headers['retry-after'];
  return Frame.respondWithPage(status, shop, {
    title,
    main: html`<section class="error"><p class="soft">${status}</p><h1>${title}</h1><p role="alert">${message}</p>
${/^\d+$/.test(seconds ?? '') ? html`<p>${say(texts, 'error.wait', { count: Number(seconds) })}</p>` : ''}
${again === undefined ? '' : repeat(shop, again)}<div class="actions">${nextSteps(shop, status)}</div>
${requestId === undefined ? '' : html`<p class="soft">${say(texts, 'error.request', { id: requestId })}</p>`}</section>`,
    more: headers,
  });
}

function titleOf(status: number) {
  switch (status) {
    case 401:
      return 'error.sign_in';
    case 402:
      return 'error.credit';
    case 403:
      return 'error.forbidden';
    case 404:
      return 'not_found.title';
    case 405:
      return 'error.method';
    case 410:
      return 'error.gone';
    case 413:
      return 'error.too_large';
    case 429:
      return 'error.too_many';
    case 502:
    case 503:
    case 504:
      return 'error.unavailable';
    default:
      return status >= 400 && status < 500 ? 'error.check_input' : 'error.title';
  }
}

function repeat({ texts }: Frame.PageContext, { target, form }: NonNullable<PageFault['again']>): Frame.Html {
  if (form === null) return html`<p><a class="button" href="${target}">${say(texts, 'error.again')}</a></p>`;
  return html`<form method="post" action="${target}">${[...form].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>${say(texts, 'error.again')}</button></form><p class="soft">${say(texts, 'error.kept')}</p>`;
}

function nextSteps({ texts }: Frame.PageContext, status: number): Frame.Html {
  const shop = html`<a class="button plain" href="/">${say(texts, 'not_found.shop')}</a>`;
  const reference = html`<a class="button plain" href="/docs">${say(texts, 'shop.see_reference')}</a>`;
  switch (status) {
    case 401:
      return html`<a class="button" href="/shop/account">${say(texts, 'frame.account')}</a> <a class="button plain" href="/docs#authentication">${say(texts, 'reference.nav_authentication')}</a>`;
    case 402:
      return html`<a class="button" href="/#plans">${say(texts, 'shop.see_plans')}</a> ${shop}`;
    case 404:
    case 405:
      return html`${shop} ${reference}`;
    default:
      return shop;
  }
}

/** A refusal of a form, without the technical details of an error. */
export function refusalPage(shop: Frame.PageContext, status: number, message: string): Response {
  return errorPage(shop, { status, message });
}

/** The 404 for people, with links to the shop; programs get the error as JSON. */
export function notFoundPage(shop: Frame.PageContext): Response {
  return errorPage(shop, { status: 404, message: shop.texts.text('not_found.text') });
}

/**
 * Replaces one of the storefront's own errors in JSON by a page, when a person asked for one. Programs get the JSON, and so does everyone
 * where the response has no message for people.
 */
export async function forPeople(shop: Frame.PageContext, c: Call, response: Response): Promise<Response> {
  const { status, headers } = response;
  if (status < 400 || !Accept.prefersHtml(c.req.header('accept') ?? '')) return response;
  if (!/^application\/json\b/.test(headers.get('content-type') ?? '')) return response;
  const { message, request_id: requestId } = Object(await response.clone().json());
  if (typeof message !== 'string') return response;
  const form = c.get('form') ?? null;
  const isForm = c.req.method === 'POST';
  const { pathname, search } = new URL(c.req.url);
  const isShort = form === null || String(form).length <= formCharsMax;
  const canRepeat = temporary.has(status) && isShort && (c.req.method === 'GET' || (isForm && form !== null));
  return errorPage(shop, {
    status,
    message,
    headers: Object.fromEntries(
      kept.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])),
    ),
    ...(typeof requestId === 'string' && { requestId }),
    ...(canRepeat && { again: { target: pathname + search, form: isForm ? form : null } }),
  });
}

/** Returns true for a browser that opens an address, as opposed to a program that accepts HTML (Fetch Metadata). */
export function isNavigation(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && Accept.prefersHtml(String(headers.accept ?? ''));
}
