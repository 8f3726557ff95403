import * as Target from '@sluice/kernel/request-target';
import { html } from 'hono/html';
import type { Catalog } from '../catalog/catalog.ts';
import * as Match from '../catalog/match.ts';
import { sharedUnit } from '../catalog/plan-unit.ts';
import type { Service } from '../catalog/service.ts';
import * as Accept from './pages/accept.ts';
import * as Frame from './pages/frame.ts';
import { say } from './pages/say.ts';
import type { Reply } from './reply.ts';
import type { Call } from './request-context.ts';

/** An error for a person. */
export type PageFault = {
  status: number;
  /** The heading; by default that of the status. */
  title?: string;
  /** The event and its cause. */
  message: string;
  /** Headers of the error that the page keeps. */
  headers?: Readonly<Record<string, string>>;
  requestId?: string;
  /** True when a plan is what is missing. */
  needsPlan?: boolean;
  /** True when signing in helps. */
  canSignIn?: boolean;
  /** The part of the reference about the address. */
  reference?: string;
  /** The request that failed, where a repetition can succeed: the fields of its form, or null for a page. */
  again?: { target: string; form: URLSearchParams | null };
};

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Errors after which the same request can succeed. */
const temporary = new Set([408, 429, 500, 502, 503, 504]);
const kept = ['retry-after', 'allow', 'www-authenticate'];
/** Longer forms are not repeated by a button. */
const formCharsMax = 64 * 1024;

/** Shows an error to a person: the event, its cause, the next step, and the id to quote. Their input is kept. */
export function errorPage(shop: Frame.PageContext, fault: PageFault): Response {
  const {
    status,
    message,
    headers = {},
    requestId,
    needsPlan = status === 402,
    canSignIn = false,
    reference = '/docs',
    again,
  } = fault;
  const { texts } = shop;
  const { title = texts.text(titleOf(status)) } = fault;
  const seconds = headers['retry-after'];
  // The button that repeats the start page leads to the shop already.
  const isStart = again?.form === null && again.target === '/';
  return Frame.respondWithPage(status, shop, {
    title,
    main: html`<section class="error"><h1>${title}</h1><p role="alert">${message}</p>
${/^\d+$/.test(seconds ?? '') ? html`<p>${say(texts, 'error.wait', { count: Number(seconds) })}</p>` : ''}
${again?.form ? html`<p class="soft">${say(texts, 'error.kept')}</p>` : ''}
<div class="actions">${again === undefined ? '' : repeat(shop, again)} ${canSignIn ? signIn(shop, again !== undefined) : ''} ${isStart ? '' : nextSteps(shop, status, { needsPlan, isSecond: canSignIn || again !== undefined, reference })}</div>
${forHelp(shop, status, requestId)}</section>`,
    isScripted: requestId !== undefined,
    style,
    more: headers,
  });
}

const style =
  '.error h1{margin-top:0}.error .help{border-top:1px solid var(--line);padding-top:.75rem;font-size:.875rem;margin-bottom:0}.error pre,.error .code>pre{margin:.5rem 0 0;padding:.5rem .75rem;white-space:nowrap;width:fit-content;max-width:100%;user-select:all}.error .code{display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:stretch}.error .code>.copy{position:static;padding:.35rem .75rem;margin-top:.5rem}.error .actions .button{flex:0 1 auto;text-align:center}@media(max-width:40rem){.error .code{flex-wrap:nowrap}.error .code>pre{font-size:.6875rem;min-width:0;padding-inline:.5rem}.error .actions{display:grid;gap:.25rem}.error form>button,.error p>.button{width:100%;text-align:center}}';

/** The status, the seller's contact, and the id that the seller finds the request by. */
function forHelp({ texts, catalog }: Frame.PageContext, status: number, requestId?: string): Frame.Html {
  const { contact } = catalog.storefront;
  const contactLink = html`<a href="${Frame.contactUrl(contact)}">${say(texts, 'error.contact')}</a>`;
  return html`<p class="help soft">${say(texts, requestId === undefined ? 'error.help' : 'error.help_request', { status: String(status), contact: contactLink })}</p>
${requestId === undefined ? '' : html`<pre tabindex="0" aria-label="${texts.text('error.request')}">${requestId}</pre>`}`;
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
    case 414:
      return 'error.uri_too_long';
    case 431:
      return 'error.headers_too_large';
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
  if (form === null) return html`<a class="button" href="${target}">${say(texts, 'error.again')}</a>`;
  return html`<form method="post" action="${target}">${[...form].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>${say(texts, 'error.again')}</button></form>`;
}

function signIn({ texts }: Frame.PageContext, isSecond: boolean): Frame.Html {
  return html`<a class="button${isSecond ? ' plain' : ''}" href="/shop/account">${say(texts, 'sign_in.submit')}</a>`;
}

/** `isSecond` when another button comes first. */
function nextSteps(
  { texts }: Frame.PageContext,
  status: number,
  { needsPlan, isSecond, reference: about }: { needsPlan: boolean; isSecond: boolean; reference: string },
): Frame.Html {
  const isFirst = status !== 401 && status !== 403 && !isSecond;
  const shop = html`<a class="button${isFirst ? '' : ' plain'}" href="/">${say(texts, 'not_found.shop')}</a>`;
  const reference = html`<a class="button plain" href="${about}">${say(texts, 'shop.see_reference')}</a>`;
  if (needsPlan)
    return html`<a class="button" href="/#plans">${say(texts, 'shop.see_plans')}</a> <a class="button plain" href="/shop/account">${say(texts, 'paid.to_account')}</a>`;
  switch (status) {
    case 401:
      return html`<a class="button" href="/shop/account/keys">${say(texts, 'error.create_key')}</a> <a class="button plain" href="/docs#authentication">${say(texts, 'error.how_to_sign_in')}</a>`;
    case 403:
      return html`<a class="button" href="/shop/account">${say(texts, 'paid.to_account')}</a> ${shop}`;
    case 404:
    case 405:
      return html`${shop} ${reference}`;
    default:
      return shop;
  }
}

/** The refusal to open one more account for a form. A button sends its input again, and another one signs in. */
export function noMoreAccounts(shop: Frame.PageContext, c: Call): Response {
  const message = shop.texts.text('buy.too_many_accounts');
  return errorPage(shop, { status: 429, message, canSignIn: true, ...repeatable(c, 429) });
}

/** The request of `c` for a repetition, where that can succeed. */
function repeatable(c: Call, status: number): Pick<PageFault, 'again'> {
  const form = c.get('form') ?? null;
  const { pathname, search } = new URL(c.req.url);
  const isForm = c.req.method === 'POST' && form !== null && String(form).length <= formCharsMax;
  // A path such as `//other.example` would lead to another site.
  const isOwn = !pathname.startsWith('//');
  if (!isOwn || !temporary.has(status) || !(c.req.method === 'GET' || isForm)) return {};
  return { again: { target: pathname + search, form: isForm ? form : null } };
}

/** The 404 for people, with links to the shop; programs get the error as JSON. */
export function notFoundPage(shop: Frame.PageContext): Response {
  return errorPage(shop, { status: 404, message: shop.texts.text('not_found.text') });
}

/**
 * Replaces one of the storefront's own errors in JSON by a page, when a person asked for one. Programs get the JSON, and so does everyone
 * where the response has no message for people.
 */
export async function forPeople(shop: SellingContext, c: Call, response: Response): Promise<Response> {
  const { status, headers } = response;
  if (status < 400 || !Accept.prefersHtml(c.req.header('accept') ?? '')) return response;
  if (!/^application\/json\b/.test(headers.get('content-type') ?? '')) return response;
  const body: Readonly<Record<string, unknown>> = Object(
    await response
      .clone()
      .json()
      .catch(() => null),
  );
  const fault = faultOf(shop, status, body);
  if (fault === null) return response;
  const found = kept.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : []));
  const message =
    status >= 500 && isPurchase(c)
      ? `${fault.message} ${shop.texts.text('error.nothing_bought')}`
      : fault.message;
  return errorPage(shop, { ...fault, message, headers: Object.fromEntries(found), ...repeatable(c, status) });
}

/** Returns true for the forms that lead to a card page, where the payment follows. */
function isPurchase({ req }: Call): boolean {
  return req.method === 'POST' && ['/shop/buy', '/shop/account/credit'].includes(req.path);
}

/** A shop with its services: pages state the rest of an account in their unit. */
type SellingContext = Frame.PageContext & { readonly catalog: Pick<Catalog, 'services'> };

/** The error of a JSON response in words for people; null when it has none. */
function faultOf(
  { texts, catalog }: SellingContext,
  status: number,
  body: Readonly<Record<string, unknown>>,
): PageFault | null {
  const { message, code, request_id: requestId, required_usd: required, available_usd: available } = body;
  if (typeof message !== 'string') return null;
  const own = {
    bearer_required: 'error.sign_in_text',
    token_invalid: 'error.sign_in_text',
    plan_required: 'error.plan_text',
    method_not_allowed: 'error.method_text',
    rate_limited: 'error.too_many_text',
    internal: 'error.internal_text',
    unavailable: 'error.unavailable_text',
    body_too_large: 'error.too_large_text',
  } as const;
  const key = typeof code === 'string' && code in own ? own[code as keyof typeof own] : null;
  const credit =
    code === 'credit_exhausted' && typeof required === 'string' && typeof available === 'string'
      ? { required: texts.usd(required), available: texts.usd(available) }
      : null;
  const left = body.affordable_units;
  const text =
    credit === null
      ? message
      : typeof left === 'number'
        ? texts.text('error.credit_left', { left: texts.quantity(left, sharedUnit(catalog.services)) })
        : texts.text('error.credit_text', credit);
  return {
    status,
    message: key === null ? text : texts.text(key),
    ...(code === 'plan_required' && { needsPlan: true }),
    ...(typeof requestId === 'string' && { requestId }),
  };
}

/**
 * Shows the refusal of a sold operation to a person who opened its address in a browser. Returns null for programs, which get JSON even if
 * they accept HTML, because what is sold may be HTML.
 */
export function callPage(
  shop: SellingContext,
  matcher: Match.Matcher,
  incoming: { headers: RequestHeaders; url?: string | undefined },
  reply: Reply,
): Response | null {
  if (reply.status < 400 || !isNavigation(incoming.headers)) return null;
  const fault = faultOf(shop, reply.status, reply.body);
  if (fault === null) return null;
  const service = reply.status === 405 ? serviceAt(matcher, incoming.url ?? '', reply) : null;
  if (service === null) return errorPage(shop, fault);
  const message = shop.texts.text('error.method_service', { service: service.name });
  return errorPage(shop, { ...fault, message, reference: `/docs/${service.slug}` });
}

/** The service of the operations at an address, which other methods call. */
function serviceAt(matcher: Match.Matcher, url: string, { headers }: Reply): Service | null {
  const [method = ''] = String(headers.allow ?? '').split(', ');
  const target = Target.parse(url);
  const found = target && Match.find(matcher, method, target.path);
  return found?.kind === 'operation' ? found.operation.service : null;
}

/** Returns true for a browser that opens an address, as opposed to a program that accepts HTML (Fetch Metadata). */
function isNavigation(headers: RequestHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && Accept.prefersHtml(String(headers.accept ?? ''));
}
