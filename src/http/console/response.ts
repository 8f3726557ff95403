import type * as Frame from '../pages/frame.ts';

/**
 * A page of the console, or another response such as a redirect. `hasScript`: the page uses passkeys. `refresh`: the address that the browser
 * opens at once.
 */
export type ConsoleResponse =
  | {
      title: string;
      main: Frame.Html;
      status?: number;
      hasScript?: boolean;
      cookies?: readonly string[];
      refresh?: string;
    }
  | Response;
