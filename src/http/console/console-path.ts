import * as ConsoleFrame from './pages/frame.ts';

/** A path of the console, with its query. */
const consoleAddress = /^\/admin(\/console\/[\w/.:-]{1,200})?(\?[!$-[\]-~]{0,2000})?$/;

/** Returns `to` when it is an address of the console, otherwise the front page: prevents an open redirect. */
export function consolePath(to: string | null): string {
  return to !== null && consoleAddress.test(to) ? to : ConsoleFrame.front;
}
