import { readFile, stat } from 'node:fs/promises';
import { upgrade } from '@scalar/openapi-upgrader';
import { operationKey } from '@sluice/kernel/operation-key';
import { parse as parseYaml } from 'yaml';
import * as SourceLocation from './source-location.ts';

/** An operation of an OpenAPI description. `example`: the example of its JSON body, if any. */
type Described = { method: string; path: string; summary: string | null; example?: unknown };

/** The operations that an upstream's description contains, by `operationKey`. */
export type Description = ReadonlyMap<string, Described>;

/** `document`: the description in OpenAPI 3, null when there is none. `text`: its source. */
export type DescriptionReading =
  | { ok: true; description: Description; document: unknown; text: string }
  | { ok: false; reason: string };

/** The description of an upstream that has none. */
export const none: Description = new Map();

const descriptionBytesMax = 16 * 1024 * 1024;
const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];

/** Reads the OpenAPI file at `path`, YAML or JSON; '' means that there is none. `reason` continues a sentence that starts with the file's name. */
export async function read(path: string): Promise<DescriptionReading> {
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

/** Returns the operations of an OpenAPI 3 or Swagger 2.0 document. Never throws. */
export function parse(text: string): DescriptionReading {
  let value: unknown;
  try {
    value = parseYaml(text, { logLevel: 'silent' });
  } catch {
    return { ok: false, reason: 'is neither YAML nor JSON' };
  }
  let root: SourceLocation.LocatedValue = { value, path: [] };
  if (SourceLocation.text(SourceLocation.member(root, 'swagger')) === '2.0')
    try {
      root = { value: upgrade(value as Parameters<typeof upgrade>[0], '3.0'), path: [] };
    } catch (error) {
      return { ok: false, reason: `cannot be converted from Swagger 2.0 (${(error as Error).message})` };
    }
  if (!/^3\.\d/.test(SourceLocation.text(SourceLocation.member(root, 'openapi')) ?? '')) {
    return {
      ok: false,
      reason: 'is not an OpenAPI description: it has neither "openapi: 3.x" nor "swagger: 2.0"',
    };
  }
  const paths = SourceLocation.member(root, 'paths');
  const described = Object.keys(paths.value ?? {}).flatMap((path) =>
    methods.flatMap((method) => {
      const operation = SourceLocation.member(SourceLocation.member(paths, path), method);
      if (operation.value === undefined) return [];
      const json = ['requestBody', 'content', 'application/json'].reduce(SourceLocation.member, operation);
      return {
        method: method.toUpperCase(),
        path,
        summary: SourceLocation.text(SourceLocation.member(operation, 'summary')),
        example: SourceLocation.member(json, 'example').value,
      };
    }),
  );
  const description = new Map(described.map((it) => [operationKey(it.method, it.path), it]));
  return { ok: true, description, document: root.value, text };
}
