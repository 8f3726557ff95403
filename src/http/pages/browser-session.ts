import type { MiddlewareHandler } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Assertion from '../../identity/assertion.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import type { Issued, TokenSession } from '../../identity/jwt.ts';
import * as Registering from '../../journeys/registration.ts';
import { errorPage } from '../fault-page.ts';
import type { Reply } from '../reply.ts';
import { bytes, type Call, type Env } from '../request-context.ts';
import * as Cookies from './cookies.ts';
import type * as Frame from './frame.ts';

/**
 * The account of a browser, taken from the identity assertion in its HttpOnly cookie, and its person with the role of now; `member` is null for a
 * browser that registered the account, before a person claims it.
 */
export type BrowserSession = { account: string; member: TokenSession['member']; access: Issued };

const session: Cookies.Cookie = {
  name: 'sluice_visitor',
  maxAgeSeconds: Assertion.lifeSeconds,
  sameSite: 'Lax',
};

/** The browser's session; null when it has no account here or its session has ended. */
export async function readSession(
  shop: Omit<IdentityContext, 'keys'>,
  c: Call,
): Promise<BrowserSession | null> {
  const assertion = assertionOf(shop, c);
  if (assertion === null) return null;
  const granted = await Registering.renew(shop, assertion);
  if (granted.kind !== 'granted') return null;
  return sessionOf(granted.access);
}

/** The session of an access token that was just issued. */
export function sessionOf(access: Issued): BrowserSession {
  const { account, member } = access.claims;
  return { account, member, access };
}

/** The `Set-Cookie` that signs a browser in to an account until the assertion expires. */
export function remembered(shop: Pick<CatalogContext, 'publicUrl'>, assertion: string): string {
  return Cookies.setCookie(shop, session, assertion);
}

/** Renews the session cookie, so that a returning browser keeps its access to an account that has no email address. */
export async function prolonged(
  shop: Pick<IdentityContext, 'clock' | 'publicUrl' | 'team' | 'tokenVerifier'>,
  { access }: BrowserSession,
): Promise<string> {
  return remembered(shop, (await Registering.prolong(shop, access.claims)).token);
}

/** Deletes what a browser has kept for Back (`Frame.keptForBack`), because its session has ended or is another one now. */
export const cleared = { 'clear-site-data': '"cache"' };

export function forgotten(shop: Pick<CatalogContext, 'publicUrl'>): string {
  return Cookies.eraseCookie(shop, session);
}

/** The assertion in the browser's cookie, which is needed to end its session. */
export function assertionOf(shop: Pick<CatalogContext, 'publicUrl'>, c: Call): string | null {
  return Cookies.readCookie(shop, session, c);
}

/**
 * Rejects forms that were not sent from the shop's own pages: another site's form would act with the visitor's cookie (CSRF). Browsers
 * send the source in `Sec-Fetch-Site` (Fetch Metadata), older ones in `Origin`. `refuse` shows the refusal.
 */
export function guard(
  shop: Pick<CatalogContext, 'publicUrl'> & Frame.PageContext,
  refuse = (status: number): Response =>
    errorPage(shop, {
      ...{ status, title: shop.texts.text('error.foreign_title') },
      message: shop.texts.text('error.foreign_form'),
    }),
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const site = c.req.header('sec-fetch-site');
    const isOwn = site === undefined ? c.req.header('origin') === shop.publicUrl : site === 'same-origin';
    if (c.req.method === 'GET' || c.req.method === 'HEAD' || isOwn) return next();
    return refuse(403);
  };
}

/** Thrown for a form whose body is too long or cannot be read. */
export class RefusedForm extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super('refused_form');
    this.reply = reply;
  }
}

/** The fields of a form of at most `bytesMax`. Throws `RefusedForm`. */
export async function fields(c: Call, bytesMax?: number): Promise<URLSearchParams> {
  const body = await bytes(c, bytesMax);
  if (!Buffer.isBuffer(body)) throw new RefusedForm(body);
  const form = await parsed(body, c.req.header('content-type') ?? '');
  c.set('form', form);
  return form;
}

/** Reads a form. A file of a multipart form becomes its bytes in base64; without a chosen file it is empty. */
async function parsed(body: Buffer, contentType: string): Promise<URLSearchParams> {
  if (!/^multipart\/form-data;/i.test(contentType)) return new URLSearchParams(body.toString());
  const form = new URLSearchParams();
  const read = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
    .formData()
    // A malformed body has no fields, and its form is refused for that.
    .catch(() => new FormData());
  for (const [name, value] of read)
    form.append(
      name,
      typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64'),
    );
  return form;
}
