import type { MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import * as Accept from '../pages/accept.ts';
import type { Env } from '../request-context.ts';
import { consolePath } from './console-path.ts';
import * as ConsoleFrame from './pages/frame.ts';
import type { ConsoleResponse } from './response.ts';

const statusOfTooMany = 429;
/** The paths of the forms of people who are not signed in. */
const signInForms = /^\/admin\/console\/(?:sign-in|oidc|invitation)(?:\/|$)/;

/**
 * Shows a refusal that a route of the console wrote for programs, such as too many requests, as a page of the console: the seller is not sent to the shop
 * or to their own contact. Programs get the JSON.
 */
export function refusedInFrame(respond: (shown: ConsoleResponse) => Response): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    const { status, headers } = c.res;
    const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '');
    if (status < 400 || !isJson || !Accept.prefersHtml(c.req.header('accept') ?? '')) return;
    const body = Object(
      await c.res
        .clone()
        .json()
        .catch(() => null),
    ) as Readonly<Record<string, unknown>>;
    if (typeof body.message !== 'string') return;
    const address = c.req.path + new URL(c.req.url).search;
    const again = c.req.method === 'GET' ? address : null;
    if (status === statusOfTooMany && signInForms.test(c.req.path)) {
      c.res = respond(tooManyTries(headers.get('retry-after')));
      return;
    }
    c.res = respond(refused(status, body.message, headers.get('retry-after'), again));
  };
}

function waitOf(retryAfter: string | null): string {
  return retryAfter === '1' ? 'a second' : `${retryAfter ?? 'a few'} seconds`;
}

/** The refusal of a sign-in, with the way back to its page. */
function tooManyTries(retryAfter: string | null): ConsoleResponse {
  const main = html`<section class="entry"><h1>Sign in</h1><p class="note" role="alert">Too many tries from your address. Wait ${waitOf(retryAfter)}, then try again.</p><a class="button" href="${ConsoleFrame.front}">Try again</a></section>`;
  return { status: statusOfTooMany, title: 'Sign in', main };
}

/** The page of a refusal. `again`: the address of a page that can be opened later; null after a form. */
export function refused(
  status: number,
  message: string,
  retryAfter: string | null = null,
  again: string | null = null,
): ConsoleResponse {
  const isTooMany = status === statusOfTooMany;
  const title = isTooMany ? 'Too many requests' : 'Not accepted';
  const wait = waitOf(retryAfter);
  const text = isTooMany
    ? `Too many requests came from your address in a short time. Wait ${wait}, then try again.`
    : message;
  const form =
    again === null
      ? html`<p>Nothing was changed. What you typed is still there when you go back in the browser.</p>`
      : '';
  const repeat =
    isTooMany && again !== null ? html`<a class="button" href="${consolePath(again)}">Try again</a>` : '';
  const main = html`<h1>${title}</h1><section><p role="alert">${text}</p>${form}
<div class="actions">${repeat}<a class="button${repeat === '' ? '' : ' plain'}" href="${ConsoleFrame.front}">Go to the overview</a></div></section>`;
  return { status, title, main };
}
