import { html } from 'hono/html';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { AccountEvent } from '../../identity/team/team.ts';
import type { Texts } from '../../text/texts.ts';
import type { Call } from '../request-context.ts';
import * as Cookies from './cookies.ts';
import * as FormFaults from './form-faults.ts';
import * as Frame from './frame.ts';
import { say } from './say.ts';

type Fault = { field: string; message: string };
/** A form that was refused: what was typed, and what is wrong with which field. */
export type RefusedForm = { path: string; input: URLSearchParams; faults: readonly Fault[] };
/** The outcome of the form that was just sent. `refused` is set when it has to be corrected. */
export type FormResult = {
  text: string;
  secret: string | null;
  isBad: boolean;
  link?: { url: string; text: string };
  /** The address that a mail was sent to, so that it can be sent again. */
  email?: string;
  faults?: readonly Fault[];
  refused?: RefusedForm;
  /** Facts for the activity of the account; the page does not show them. */
  detail?: AccountEvent['detail'];
};

/** A result is shown once, on the page that follows the form's redirect. A key in it stays out of addresses and logs. */
const kept: Cookies.Cookie = { name: 'sluice_result', maxAgeSeconds: 120, sameSite: 'Lax' };
/** A cookie holds at most 4,096 bytes with its name and attributes. */
const charsMax = 3_600;

type Origin = Pick<CatalogContext, 'publicUrl'>;

/** The `Set-Cookie` that shows a result on the next page. */
function remembered(shop: Origin, { text, secret, link, email }: FormResult): string {
  const value = Buffer.from(JSON.stringify({ text, secret, link, email })).toString('base64url');
  return value.length > charsMax ? forgotten(shop) : Cookies.setCookie(shop, kept, value);
}

export function forgotten(shop: Origin): string {
  return Cookies.eraseCookie(shop, kept);
}

/** The result of the form that led to this page; null when there is none. */
export function read(shop: Origin, c: Call): FormResult | null {
  const value = Cookies.readCookie(shop, kept, c);
  if (value === null) return null;
  try {
    const { text, secret, link, email } = JSON.parse(Buffer.from(value, 'base64url').toString());
    if (typeof text !== 'string') return null;
    const isLink =
      typeof link?.url === 'string' && typeof link.text === 'string' && /^https?:/.test(link.url);
    return {
      text,
      secret: typeof secret === 'string' ? secret : null,
      isBad: false,
      ...(typeof email === 'string' && { email }),
      ...(isLink && { link: { url: link.url, text: link.text } }),
    };
  } catch {
    return null;
  }
}

/**
 * Redirects a form that was accepted to `location`, with its result for that page, if any. A reload of the page repeats nothing. The cookies
 * of `more` are set too, and the headers `others`.
 */
export function redirect(
  shop: Origin,
  location: string,
  result: FormResult | null,
  more: readonly string[] = [],
  others: Readonly<Record<string, string>> = {},
): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', ...others });
  for (const cookie of more) headers.append('set-cookie', cookie);
  if (result !== null) headers.append('set-cookie', remembered(shop, result));
  return new Response(null, { status: 303, headers });
}

/** Shows the result of the form that led to this page, once. A browser without a result is redirected to the account page. */
export function respondOnce(
  shop: Origin & Frame.PageContext,
  c: Call,
  page: { title: string; style?: string },
  main: (result: FormResult) => Frame.Html,
): Response {
  const result = read(shop, c);
  if (result === null) return redirect(shop, '/shop/account', null);
  const more = { 'set-cookie': forgotten(shop) };
  return Frame.respondWithPage(200, shop, { ...page, main: main(result), more });
}

/** The id of a field of the form at `path`. The summary of faults links to it. */
function idOf(path: string, name: string): string {
  return `${path.replaceAll('/', '-')}-${name}`;
}

type Field = {
  name: string;
  label: string;
  /** The element's id; by default that of `idOf`. */
  id?: string;
  /** A rule for the value, below the input. */
  hint?: string;
  value?: string;
  attributes?: Frame.Html;
  isRequired?: boolean;
};

/** A labelled input of the form at `path`. When the form was refused, it keeps what was typed, with the fault beside it. */
export function field(texts: Texts, result: FormResult | null, path: string, one: Field): Frame.Html {
  const { name, label, id = idOf(path, name), value = '', attributes = html``, isRequired = false } = one;
  const refused = result?.refused?.path === path ? result.refused : null;
  const { marks, text } = faultOf(texts, result, path, name, id);
  const shown = refused?.input.get(name) ?? value;
  const { hint } = one;
  const described = hint === undefined || text !== null ? marks : html` aria-describedby="${id}-hint"`;
  return html`<label for="${id}">${label}</label><input id="${id}" name="${name}" ${attributes} value="${shown}"${described} ${isRequired ? 'required' : ''}>${text ?? (hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`)}`;
}

/** The fault of a field of the form at `path`: the attributes of its element, and the text below it. The first field with a fault gets the focus. */
export function faultOf(
  texts: Texts,
  result: FormResult | null,
  path: string,
  name: string,
  id: string = idOf(path, name),
): { marks: Frame.Html | string; text: Frame.Html | null } {
  const faults = result?.refused?.path === path ? result.refused.faults : [];
  const fault = faults.find(({ field }) => field === name);
  if (fault === undefined) return { marks: '', text: null };
  const focus = faults[0] === fault ? html` autofocus=""` : '';
  return {
    marks: html` aria-invalid="true" aria-describedby="${id}-fault"${focus}`,
    text: html`<p class="fault" id="${id}-fault">${FormFaults.inWords(texts, fault.message)}</p>`,
  };
}

/** The line above a refused form: the fields to change, with links to them; the faults are beside the fields. Null when no field has a fault. */
export function summaryOf(texts: Texts, { refused }: FormResult): Frame.Html | null {
  if (refused === undefined || refused.faults.length === 0) return null;
  const links = refused.faults.map(
    ({ field: name }) =>
      html`<a href="#${idOf(refused.path, name)}">${FormFaults.labelIn(texts, refused.path, name)}</a>`,
  );
  const fields = html`${links.map((link, at) => (at === 0 ? link : html`, ${link}`))}`;
  return say(texts, 'form.check', { count: links.length, fields });
}

/** Returns true when the fault is a code, which is the only field of its form: the fault is shown beside it, and nowhere else. */
export function isCodeRefused({ refused }: FormResult): boolean {
  const faults = refused?.faults ?? [];
  return faults.length > 0 && faults.every(({ field: name }) => name === 'otp' || name === 'code');
}
