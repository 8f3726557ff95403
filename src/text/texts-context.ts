import type { Texts } from './texts.ts';

/** The texts of pages, mails and error messages, in the seller's words. */
export type TextsContext = { readonly texts: Texts };
