import { hint } from '@sluice/kernel/did-you-mean';
import * as Target from '@sluice/kernel/request-target';

/** The unchecked arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;
export type ArgumentFault = { field: string; message: string };

/**
 * Maps the arguments of a tool to the parts of its HTTP request. If `isFlat`, parameters and members of the body are arguments side by side;
 * otherwise the arguments are `path`, `query` and `body`.
 */
export type ArgumentForm = {
  template: string;
  path: readonly string[];
  query: readonly string[];
  hasBody: boolean;
  isFlat: boolean;
};

export type Filled =
  | { ok: true; target: Target.Target; body: Buffer }
  | { ok: false; faults: ArgumentFault[] };

const nameCharsShownMax = 64;

/** Builds the request from the arguments. The upstream checks the content of the body, as over HTTP. */
export function fill(form: ArgumentForm, args: Arguments): Filled {
  const given = form.isFlat ? spread(form, args) : nested(args);
  const faults = form.isFlat ? strays(form, given.body) : [];
  const path = form.template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const text = scalar(given.path[name]);
    if (text === '') faults.push({ field: name, message: 'Required in the path: a string or a number' });
    return encodeURIComponent(text);
  });
  const target = Target.parse(path + search(form, given.query));
  if (target === null && faults.length === 0)
    faults.push({
      field: form.path.join(', '),
      message: 'Contains characters that are not allowed in a path, such as "/"',
    });
  if (target === null || faults.length > 0) return { ok: false, faults };
  return {
    ok: true,
    target,
    body: form.hasBody ? Buffer.from(JSON.stringify(given.body)) : Buffer.alloc(0),
  };
}

/** Returns the arguments for a request of the guide, which has a URL and a body. */
export function argumentsOf(form: ArgumentForm, request: { url: string; body: unknown }): Arguments {
  const { pathname, searchParams } = new URL(request.url);
  const segments = pathname.split('/');
  const path = Object.fromEntries(
    form.template.split('/').flatMap((segment, at) => {
      const name = /^\{(.+)\}$/.exec(segment)?.[1];
      return name === undefined ? [] : [[name, decodeURIComponent(segments[at] ?? '')]];
    }),
  );
  const query = Object.fromEntries(searchParams);
  const body = form.hasBody ? (request.body ?? {}) : {};
  return form.isFlat ? { ...path, ...query, ...(body as object) } : { path, query, body };
}

type Given = { path: Arguments; query: Arguments; body: unknown };

function spread(form: ArgumentForm, args: Arguments): Given {
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => Object.hasOwn(args, name)).map((name) => [name, args[name]]));
  const rest = Object.entries(args).filter(
    ([name]) => !form.path.includes(name) && !form.query.includes(name),
  );
  return { path: pick(form.path), query: pick(form.query), body: Object.fromEntries(rest) };
}

function nested({ path, query, body }: Arguments): Given {
  const object = (value: unknown) =>
    typeof value === 'object' && value !== null ? (value as Arguments) : {};
  return { path: object(path), query: object(query), body: body ?? {} };
}

/** Reports unknown arguments. With a body, the upstream reports them itself. */
function strays({ path, query, hasBody }: ArgumentForm, rest: unknown): ArgumentFault[] {
  if (hasBody) return [];
  const known = [...path, ...query];
  return Object.keys(rest as object).map((name) => {
    const message = `No such argument. ${hint(name, known, 'Arguments')}`;
    return { field: name.slice(0, nameCharsShownMax), message };
  });
}

function search({ isFlat, query }: ArgumentForm, given: Arguments): string {
  const pairs = (isFlat ? query : Object.keys(given)).flatMap((name) => {
    const value = given[name];
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    return all
      .filter((one) => one !== undefined && one !== null)
      .map(
        (one) =>
          `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(scalar(one) || JSON.stringify(one))}`,
      );
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Returns a string, number or boolean as text, and the empty string for values that a URL cannot contain. */
function scalar(value: unknown): string {
  if (typeof value === 'string') return value.isWellFormed() ? value : '';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
