import { id } from '@sluice/kernel/id';
import type { TextsContext } from '../text/texts-context.ts';
import { errorPage } from './fault-page.ts';
import * as Accept from './pages/accept.ts';
import type * as Frame from './pages/frame.ts';
import { error, toResponse } from './reply.ts';
import type { Unreadable } from './server/client-error.ts';

const reasons = {
  408: { code: 'request_too_slow', message: 'api.request_too_slow', page: 'error.too_slow_text' },
  413: { code: 'body_too_large', message: 'api.chunks_too_large', page: 'error.too_large_text' },
  414: { code: 'uri_too_long', message: 'api.uri_too_long', page: 'error.uri_too_long_text' },
  417: { code: 'expectation_failed', message: 'api.expectation_failed', page: 'error.malformed_text' },
  431: { code: 'headers_too_large', message: 'api.headers_too_large', page: 'error.headers_too_large_text' },
} as const;
const malformed = {
  code: 'malformed_request',
  message: 'api.malformed_request',
  page: 'error.malformed_text',
} as const;

/** The response to a request that the HTTP parser refused before it had a route: a page for people, otherwise JSON. */
export function explain(shop: Frame.PageContext & TextsContext, { status, accept }: Unreadable): Response {
  const { code, message, page } = status in reasons ? reasons[status as keyof typeof reasons] : malformed;
  const requestId = id('req');
  if (Accept.prefersHtml(accept))
    return errorPage(shop, { status, message: shop.texts.text(page), requestId });
  return toResponse(error(status, code, shop.texts.text(message), requestId));
}
