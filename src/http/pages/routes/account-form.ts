import type { TextsContext } from '../../../text/texts-context.ts';
import type { Call } from '../../request-context.ts';
import type * as BrowserSession from '../browser-session.ts';
import * as FormFaults from '../form-faults.ts';
import type * as FormResult from '../form-result.ts';

export type Result = FormResult.FormResult;
/** A form of the account page that its owner sent. */
export type Submission = {
  c: Call;
  visitor: BrowserSession.BrowserSession;
  account: string;
  form: URLSearchParams;
  clientAddressHeader: string | null;
};
export function good(text: string): Result {
  return { text, secret: null, isBad: false };
}

export function bad(text: string): Result {
  return { text, secret: null, isBad: true };
}

export function badField(text: string, field: string): Result {
  return { ...bad(text), faults: [{ field, message: text }] };
}

export function faulty(
  { texts }: TextsContext,
  faults: readonly { field: string; message: string }[],
): Result {
  return { ...bad(FormFaults.sentence(texts, faults)), faults };
}
