import type * as Frame from '../pages/frame.ts';
import type { Flash } from './flash.ts';

/**
 * A page of the console, a redirect to a page that shows the outcome of a form once, or another response.
 * `hasScript`: the page uses passkeys. `canCopy`: its texts get copy buttons. `isEditor`: Back may return to it. `refresh`: the address that the browser opens at once.
 */
export type ConsoleResponse =
  | {
      title: string;
      main: Frame.Html;
      status?: number;
      hasScript?: boolean;
      canCopy?: boolean;
      isEditor?: boolean;
      cookies?: readonly string[];
      refresh?: string;
    }
  | { to: string; flash: Flash }
  | Response;

/** The response to a form that succeeded: a reload of the next page repeats nothing. */
export function done(to: string, text: string, secret?: string): ConsoleResponse {
  return { to, flash: { text, isBad: false, ...(secret !== undefined && { secret }) } };
}
