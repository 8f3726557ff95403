import type { Stripe } from 'stripe';

/**
 * An object of the API as the sandbox keeps it: `T` is the client's own type for it, which holds the imitation to
 * the real shape, less the forms that appear only by `expand[]`; a reference is stored as its id.
 */
export type Stored<T> = {
  [K in keyof T]: [Extract<T[K], string>] extends [never] ? T[K] : Exclude<T[K], { id: string }>;
};

/** `T` as it travels: where the client has a decimal, the wire has text. */
export type Wire<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Stripe.Decimal
    ? string
    : T extends readonly (infer Item)[]
      ? Wire<Item>[]
      : { [K in keyof T]: Wire<T[K]> };

/** A complete list inside an object. */
export type Inner<T> = { object: 'list'; data: T[]; has_more: false; url: string };

/** An object without the members that are the sandbox's own: their names start with `_`, and they never leave it. */
export function shown(row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('_')));
}
