import type * as Customer from '../support/customer.ts';

/** Values that earlier responses gave for placeholders `{name}`. */
export type Known = Readonly<Record<string, string>>;

/** Returns every request in a response: every object at any depth with a method and an address. */
export function requestsIn(value: unknown): Customer.Request[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(requestsIn);
  const { method, url, path } = value as Partial<Record<string, unknown>>;
  const isRequest =
    typeof method === 'string' && /^[A-Z]+$/.test(method) && typeof (url ?? path) === 'string';
  return isRequest ? [value as Customer.Request, ...inner] : inner;
}

/** Replaces the placeholders of a request. Throws for one without a value, because nothing may be left to guess. */
export function fill<Part>(part: Part, known: Known): Part {
  const text = JSON.stringify(part).replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = known[name];
    if (typeof value !== 'string') throw new Error(`no response has given ${name}`);
    return value;
  });
  return JSON.parse(text) as Part;
}
