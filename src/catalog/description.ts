import { readFile, stat } from 'node:fs/promises';
import { parse as parseYaml } from 'yaml';
import * as PathTemplate from './path-template.ts';
import * as Place from './place.ts';

/** One operation of an OpenAPI description. `example` is that of its JSON body, if it gives one. */
type Described = { method: string; path: string; summary: string | null; example?: unknown };

/** What an upstream says of its own operations, by `key`. */
export type Description = ReadonlyMap<string, Described>;

/** `document` is the whole of it, as it was read, and null where there is none; `text` is how it is written. */
export type Read =
  | { ok: true; description: Description; document: unknown; text: string }
  | { ok: false; reason: string };

/** The description of an upstream that has none. */
export const none: Description = new Map();

const descriptionBytesMax = 16 * 1024 * 1024;
const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];

/** Where an operation is found in a description; the names of path parameters do not matter. */
export function key(method: string, path: string): string {
  return `${method} ${PathTemplate.shape(path)}`;
}

/** Reads the OpenAPI 3 file at `path`, YAML or JSON; '' is the path of an upstream without one. The reason reads on after the file's name. */
export async function read(path: string): Promise<Read> {
  if (path === '') return { ok: true, description: none, document: null, text: '' };
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > descriptionBytesMax)
      return { ok: false, reason: `is larger than ${descriptionBytesMax} bytes` };
    text = await readFile(path, 'utf8');
  } catch (error) {
    return { ok: false, reason: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  return parse(text);
}

/** The operations of an OpenAPI 3 document. Never throws. */
export function parse(text: string): Read {
  let value: unknown;
  try {
    value = parseYaml(text, { logLevel: 'silent' });
  } catch {
    return { ok: false, reason: 'is neither YAML nor JSON' };
  }
  const root: Place.Place = { value, path: [] };
  if (!/^3\.\d/.test(Place.text(Place.member(root, 'openapi')) ?? '')) {
    return { ok: false, reason: 'is not an OpenAPI 3 description: it has no "openapi: 3.x"' };
  }
  const paths = Place.member(root, 'paths');
  const described = Object.keys(paths.value ?? {}).flatMap((path) =>
    methods.flatMap((method) => {
      const operation = Place.member(Place.member(paths, path), method);
      if (operation.value === undefined) return [];
      const json = ['requestBody', 'content', 'application/json'].reduce(Place.member, operation);
      return {
        method: method.toUpperCase(),
        path,
        summary: Place.text(Place.member(operation, 'summary')),
        example: Place.member(json, 'example').value,
      };
    }),
  );
  const description = new Map(described.map((it) => [key(it.method, it.path), it]));
  return { ok: true, description, document: value, text };
}
