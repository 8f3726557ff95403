import { nearest } from '../../kernel/nearest.ts';
import * as Target from '../../relay/target.ts';

/** The arguments of a tool call, as they came. */
export type Arguments = Readonly<Record<string, unknown>>;
export type Fault = { field: string; message: string };

/**
 * Where the arguments of a tool go in the request that it stands for. `isFlat`: parameters and the members of the body side
 * by side; else each place has an argument of its own, `path`, `query` and `body`.
 */
export type Form = {
  template: string;
  path: readonly string[];
  query: readonly string[];
  hasBody: boolean;
  isFlat: boolean;
};

export type Filled = { ok: true; target: Target.Target; body: Buffer } | { ok: false; faults: Fault[] };

const nameCharsShownMax = 64;

/** The request that the arguments make. What the body holds is the upstream's to judge, as it is over HTTP. */
export function fill(form: Form, args: Arguments): Filled {
  const given = form.isFlat ? spread(form, args) : nested(args);
  const faults = form.isFlat ? strays(form, given.body) : [];
  const way = form.template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const text = scalar(given.path[name]);
    if (text === '')
      faults.push({ field: name, message: 'Required: a text or a number that the path is made of' });
    return encodeURIComponent(text);
  });
  const target = Target.parse(way + search(form, given.query));
  if (target === null && faults.length === 0)
    faults.push({ field: form.path.join(', '), message: 'Has characters that no path takes, such as "/"' });
  if (target === null || faults.length > 0) return { ok: false, faults };
  return {
    ok: true,
    target,
    body: form.hasBody ? Buffer.from(JSON.stringify(given.body)) : Buffer.alloc(0),
  };
}

/** The arguments that make a request, as the guide gives one: its address and its body. */
export function of(form: Form, request: { url: string; body: unknown }): Arguments {
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

function spread(form: Form, args: Arguments): Given {
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

/** Arguments that nothing takes, where there is no body whose upstream would say so. */
function strays({ path, query, hasBody }: Form, rest: unknown): Fault[] {
  if (hasBody) return [];
  const known = [...path, ...query];
  return Object.keys(rest as object).map((name) => {
    const near = nearest(name, known);
    const hint = near === null ? `Arguments: ${known.join(', ') || 'none'}` : `Did you mean "${near}"?`;
    return { field: name.slice(0, nameCharsShownMax), message: `No such argument. ${hint}` };
  });
}

function search({ isFlat, query }: Form, given: Arguments): string {
  const pairs = (isFlat ? query : Object.keys(given)).flatMap((name) => {
    const value = given[name];
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    return all
      .filter((one) => one !== undefined && one !== null)
      .map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(scalar(one) || JSON.stringify(one))}`);
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The empty text for what is no text, number or truth value. */
function scalar(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
