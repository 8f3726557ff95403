import { invalid, type Refusal } from './refusal.ts';

/** Parameters as sent: `a[b][0]=c` is `{a: {b: {0: 'c'}}}`. Every leaf is text; which of the objects are lists, only a schema knows. */
export type Form = { [name: string]: string | Form };

const pairsMax = 2_000;
const depthMax = 6;

/** Reads `application/x-www-form-urlencoded` text or a query string with bracketed names. A name given twice: the last wins. */
export function parse(text: string): Form | Refusal {
  const form = blank();
  let pairs = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++pairs > pairsMax) return invalid(`More than ${pairsMax} parameters.`);
    const path = segments(name);
    if (path === null || path.length > depthMax)
      return invalid(`Invalid parameter name: ${name.slice(0, 100)}`);
    if (!place(form, path, value)) {
      return invalid(`Parameter is both a value and an object: ${name.slice(0, 100)}`, { param: name });
    }
  }
  return form;
}

/** The name of a parameter as a caller writes it: `['a', 'b', '0']` is `a[b][0]`. */
export function nameOf(path: readonly PropertyKey[]): string {
  const [first, ...rest] = path.map(String);
  return `${first ?? ''}${rest.map((segment) => `[${segment}]`).join('')}`;
}

/** Returns the value at `path`; undefined when there is none. */
export function at(form: Form, path: readonly PropertyKey[]): string | Form | undefined {
  let current: string | Form | undefined = form;
  for (const segment of path) {
    if (typeof current !== 'object') return undefined;
    current = current[String(segment)];
  }
  return current;
}

/** Without a prototype, so that a parameter named `__proto__` is a name like any other. */
function blank(): Form {
  return Object.create(null) as Form;
}

function segments(name: string): string[] | null {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) return null;
  return [match[1] ?? '', ...[...(match[2] ?? '').matchAll(/\[([^\]]*)\]/g)].map((inner) => inner[1] ?? '')];
}

function place(form: Form, path: string[], value: string): boolean {
  let current = form;
  for (const [depth, raw] of path.entries()) {
    const segment = raw === '' ? String(Object.keys(current).length) : raw;
    const present = current[segment];
    if (depth === path.length - 1) {
      if (typeof present === 'object') return false;
      current[segment] = value;
      return true;
    }
    if (typeof present === 'string') return false;
    const next = present ?? blank();
    current[segment] = next;
    current = next;
  }
  return false;
}
