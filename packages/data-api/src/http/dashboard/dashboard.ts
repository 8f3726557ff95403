import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import * as Key from '../../keys/key.ts';
import * as KeyStore from '../../keys/key-store.ts';
import * as RateWindow from '../../usage/rate-window.ts';
import * as UsageReport from '../../usage/usage-report.ts';
import type { RequestContext } from '../call.ts';
import * as Address from './address.ts';
import * as Forms from './forms.ts';
import { front, type Page, problem, redirect } from './frame.ts';
import { holderPage } from './holder-page.ts';
import { keyPage, keysPage } from './operator-pages.ts';
import * as Session from './session.ts';
import { signInPage } from './sign-in-page.ts';

export type DashboardContext = Session.SessionContext & {
  keyStore: KeyStore.KeyStore;
  usage: UsageReport.UsageReport;
  apis: readonly string[];
  clientAddressHeader: string | null;
};

/** A page, or another response such as a redirect. `isSignedIn` decides whether the header offers to sign out. */
export type Shown = { page: Page; isSignedIn: boolean } | Response;
/** Registers a route. `show` runs with the context of the request, whose `keyId` is for the log. */
export type Mount = (
  method: 'GET' | 'POST',
  path: string,
  name: string,
  show: (c: Context, request: RequestContext) => Promise<Shown>,
) => void;

type Visit = { c: Context; request: RequestContext; form: URLSearchParams };
type Operator = (visit: Visit, id: string) => Promise<Page | Response>;

const signInsMax = 20;
const signInWindowMs = 60_000;
const keysAtOnce = 100;
const usageDays = 30;
const dayMs = 86_400_000;
const formBytesMax = 64 * 1024;
const foreignForm =
  'This form was not sent from a page of this dashboard. Open the dashboard and try again there.';
const expired = 'Your session has ended and nothing was changed. Sign in and try again.';

/** Outcomes of forms, by the name that the redirect carries. */
const results: Readonly<Record<string, string>> = {
  plan: 'The plan was changed.',
  operations: 'The operations were changed.',
  revoked: 'The key is revoked.',
};

/** Adds the pages of the operator and of the holders of keys. */
export function mount(context: DashboardContext, add: Mount): void {
  addSession(context, add);
  addHolder(context, add);
  addOperator(context, add);
}

const viewsPerSecond = 5;
const rotationsPerHour = 10;
const hourMs = 3_600_000;

function addSession(context: DashboardContext, add: Mount): void {
  const attempts = RateWindow.create();
  const signIn = (status: number, text: string | null): Shown => ({
    page: signInPage(status, text),
    isSignedIn: false,
  });
  add('POST', `${front}/sign-in`, 'dashboard.sign_in', async (c, { nowMs }) => {
    if (!isOwnForm(c)) return c.text(foreignForm, 403);
    const address = Address.of(c, context.clientAddressHeader);
    if (!RateWindow.admit(attempts, address, signInsMax, nowMs, signInWindowMs).admitted) {
      const page = signInPage(429, 'Too many attempts. Wait a minute, then try again.');
      return { page: { ...page, headers: { 'retry-after': '60' } }, isSignedIn: false };
    }
    const form = await readForm(c);
    const cookie = await Session.signIn(context, form.get('credential')?.trim() ?? '', nowMs);
    return cookie === null
      ? signIn(401, 'This is neither a valid API key nor the admin token.')
      : redirect(front, cookie);
  });
  add('POST', `${front}/sign-out`, 'dashboard.sign_out', async (c) =>
    isOwnForm(c) ? redirect(front, Session.forgotten(context)) : c.text(foreignForm, 403),
  );
  add('GET', `${front}/`, 'dashboard', async () => redirect(front));
  for (const path of ['sign-in', 'sign-out', 'rotate', 'keys'])
    add('GET', `${front}/${path}`, 'dashboard', async () => redirect(front));
}

function addHolder(context: DashboardContext, add: Mount): void {
  // A page adds up usage and reads every secret of the key, on connections that calls need too.
  const views = RateWindow.create();
  const rotations = RateWindow.create();
  add('GET', front, 'dashboard', async (c, request) => {
    const session = await Session.read(context, c.req.header('cookie') ?? null, request.nowMs);
    if (session === null) return { page: signInPage(200, null), isSignedIn: false };
    if (
      session.kind === 'holder' &&
      !RateWindow.admit(views, session.key.id, viewsPerSecond, request.nowMs).admitted
    )
      return { page: tooFast('1'), isSignedIn: true };
    const page =
      session.kind === 'operator'
        ? await keys(context, request, new URL(c.req.url).searchParams.get('after'), [])
        : await holder(context, request, session.key, null);
    return { page, isSignedIn: true };
  });
  add('POST', `${front}/rotate`, 'dashboard.rotate', async (c, request) => {
    if (!isOwnForm(c)) return c.text(foreignForm, 403);
    const session = await Session.read(context, c.req.header('cookie') ?? null, request.nowMs);
    if (session?.kind !== 'holder') return { page: signInPage(401, expired), isSignedIn: false };
    const { key } = session;
    // A finder of a secret that its owner has replaced must not end the new one.
    if (key.secretEndsAtMs !== null)
      return {
        page: problem(403, 'Sign in with the newest key', 'Only the newest secret of a key can rotate it.'),
        isSignedIn: true,
      };
    if (!RateWindow.admit(rotations, key.id, rotationsPerHour, request.nowMs, hourMs).admitted)
      return { page: tooFast('3600'), isSignedIn: true };
    const outcome = await rotate(context, key.id, await readForm(c), request);
    if (outcome.kind !== 'rotated') return { page: outcome.page, isSignedIn: true };
    const page = await holder(context, request, key, outcome.secret);
    // The browser continues with the new secret: the one that it signed in with may end at once.
    const cookie = Session.remembered(context, outcome.digest, request.nowMs);
    return { page: { ...page, headers: { 'set-cookie': cookie } }, isSignedIn: true };
  });
}

function tooFast(retryAfterSeconds: string): Page {
  const page = problem(429, 'Too many requests', 'Wait, then try again.');
  return { ...page, headers: { 'retry-after': retryAfterSeconds } };
}

function addOperator(context: DashboardContext, add: Mount): void {
  const { keyStore, apis } = context;
  const operator = (method: 'GET' | 'POST', path: string, name: string, act: Operator) =>
    add(method, `${front}/keys${path}`, name, async (c, request) => {
      if (method === 'POST' && !isOwnForm(c)) return c.text(foreignForm, 403);
      const session = await Session.read(context, c.req.header('cookie') ?? null, request.nowMs);
      if (session?.kind !== 'operator')
        return { page: signInPage(401, method === 'POST' ? expired : null), isSignedIn: session !== null };
      const form = method === 'POST' ? await readForm(c) : new URLSearchParams();
      const shown = await act({ c, request, form }, c.req.param('id') ?? '');
      return shown instanceof Response ? shown : { page: shown, isSignedIn: true };
    });
  const changed = async (id: string, outcome: KeyStore.Outcome, result: string, request: RequestContext) =>
    outcome.kind === 'done'
      ? redirect(`${front}/keys/${id}?result=${result}`)
      : key(context, request, id, { faults: outcome.kind === 'invalid' ? outcome.faults : [] });

  operator('GET', '/:id', 'dashboard.keys.show', ({ c, request }, id) =>
    key(context, request, id, {
      result: results[new URL(c.req.url).searchParams.get('result') ?? ''] ?? null,
    }),
  );
  operator('POST', '', 'dashboard.keys.make', async ({ form, request }) => {
    const formId = form.get('form') ?? '';
    if (!/^[0-9a-f]{24}$/.test(formId))
      return problem(400, 'Key not created', 'The form is incomplete. Open the dashboard and try again.');
    const label = form.get('label')?.trim() || undefined;
    const body = { label, plan: Forms.planOf(form), allowed_apis: Forms.operationsOf(form) };
    const outcome = await KeyStore.make(keyStore, apis, body, request.nowMs, `key_${formId}`);
    if (outcome.kind === 'invalid') return keys(context, request, null, outcome.faults);
    const { secret = null } = outcome.kind === 'done' ? outcome : {};
    const result = secret === null ? 'This key was created before. Its secret was shown then.' : null;
    return key(context, request, `key_${formId}`, { secret, result });
  });
  operator('POST', '/:id/plan', 'dashboard.keys.plan', async ({ form, request }, id) => {
    const body = { plan: Forms.planOf(form), status: form.get('status') ?? undefined };
    return changed(id, await KeyStore.change(keyStore, apis, id, body, request.nowMs), 'plan', request);
  });
  operator('POST', '/:id/operations', 'dashboard.keys.operations', async ({ form, request }, id) => {
    const body = { allowed_apis: Forms.operationsOf(form) };
    return changed(id, await KeyStore.change(keyStore, apis, id, body, request.nowMs), 'operations', request);
  });
  operator('POST', '/:id/rotate', 'dashboard.keys.rotate', async ({ form, request }, id) => {
    const outcome = await rotate(context, id, form, request);
    return outcome.kind === 'rotated' ? key(context, request, id, { secret: outcome.secret }) : outcome.page;
  });
  operator('POST', '/:id/revoke', 'dashboard.keys.revoke', async ({ form, request }, id) => {
    if (form.get('sure') !== 'yes')
      return key(context, request, id, { faults: [{ field: 'revoke', message: 'Confirm it first' }] });
    return changed(id, await KeyStore.revoke(keyStore, id, request.nowMs), 'revoked', request);
  });
}

type Rotated = { kind: 'rotated'; secret: string; digest: string } | { kind: 'refused'; page: Page };

/** Rotates the key, unless it was rotated after the form was shown. */
async function rotate(
  { keyStore }: DashboardContext,
  id: string,
  form: URLSearchParams,
  request: RequestContext,
): Promise<Rotated> {
  request.keyId = id;
  const found = await keyStore.find(id, request.nowMs);
  const refused = (status: number, text: string): Rotated => ({
    kind: 'refused',
    page: problem(status, 'Key not rotated', text),
  });
  if (found === null) return refused(404, 'There is no such key.');
  if (String(found.secrets.at(-1)?.madeAtMs ?? 0) !== form.get('latest'))
    return refused(
      409,
      'This key was rotated after the form was opened. Open the page again to rotate it once more.',
    );
  const body = { overlap_seconds: Number(form.get('overlap') ?? Number.NaN) };
  const outcome = await KeyStore.rotate(keyStore, id, body, request.nowMs);
  if (outcome.kind !== 'done' || outcome.secret === null)
    return refused(422, 'Choose how long the key in use stays valid.');
  return { kind: 'rotated', secret: outcome.secret, digest: Key.digest(outcome.secret) };
}

async function keys(
  { keyStore, apis }: DashboardContext,
  { nowMs }: RequestContext,
  after: string | null,
  faults: Parameters<typeof keysPage>[0]['faults'],
): Promise<Page> {
  const found = await keyStore.list(after, keysAtOnce + 1, nowMs);
  const shown = found.slice(0, keysAtOnce);
  const next = found.length > keysAtOnce ? (shown.at(-1)?.id ?? null) : null;
  return keysPage({ keys: shown, next, apis, formId: randomBytes(12).toString('hex'), faults, nowMs });
}

type KeyResult = Partial<Pick<Parameters<typeof keyPage>[0], 'secret' | 'result' | 'faults'>>;

async function key(
  { keyStore, usage, apis }: DashboardContext,
  request: RequestContext,
  id: string,
  { secret = null, result = null, faults = [] }: KeyResult,
): Promise<Page> {
  const { nowMs } = request;
  const [found, days] = await Promise.all([keyStore.find(id, nowMs), daysOf(usage, id, nowMs)]);
  if (found === null) return problem(404, 'Key not found', 'There is no key with this id.');
  request.keyId = id;
  return keyPage({ key: found, days, apis, secret, result, faults, nowMs });
}

async function holder(
  { keyStore, usage }: DashboardContext,
  request: RequestContext,
  { id }: Key.Key,
  secret: string | null,
): Promise<Page> {
  const { nowMs } = request;
  request.keyId = id;
  const [found, days] = await Promise.all([keyStore.find(id, nowMs), daysOf(usage, id, nowMs)]);
  if (found === null) return problem(404, 'Key not found', 'This key no longer exists.');
  return holderPage({ key: found, days, nowMs, latestMs: found.secrets.at(-1)?.madeAtMs ?? 0, secret });
}

async function daysOf(usage: UsageReport.UsageReport, id: string, nowMs: number) {
  const today = nowMs - (nowMs % dayMs);
  return UsageReport.filled(await usage.days(id, today - (usageDays - 1) * dayMs), usageDays, nowMs);
}

/**
 * Returns true for a form of the dashboard's own pages: another site's form would act with the visitor's cookie (CSRF). Browsers send the
 * source in `Sec-Fetch-Site`, older ones in `Origin`.
 */
function isOwnForm(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = c.req.header('origin') ?? '';
  return URL.canParse(origin) && new URL(origin).host === c.req.header('host');
}

/** The fields of a form; none if it is too large. */
async function readForm(c: Context): Promise<URLSearchParams> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of c.req.raw.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > formBytesMax) return new URLSearchParams();
  }
  return new URLSearchParams(text);
}
