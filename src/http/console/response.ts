import type * as Frame from '../pages/frame.ts';

/**
 * A page of the console, or another response such as a redirect. `hasScript`: the page uses passkeys. `canCopy`: texts of the
 * page get copy buttons. `refresh`: the address that the browser
 * opens at once.
 */
export type ConsoleResponse =
  | {
      title: string;
      main: Frame.Html;
      status?: number;
      hasScript?: boolean;
      canCopy?: boolean;
      cookies?: readonly string[];
      refresh?: string;
    }
  | Response;
