import { readFile, stat } from 'node:fs/promises';
import { upgrade } from '@scalar/openapi-upgrader';
import * as Schema from '@sluice/kernel/json-schema';
import { operationKey } from '@sluice/kernel/operation-key';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import * as Bundle from './description-bundle.ts';
import * as Mount from './mount.ts';
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

/**
 * Reads the OpenAPI file at `path`, YAML or JSON, with the files that it refers to; '' means that there is none. `reason` continues a
 * sentence that starts with the file's name.
 * @param mount the path under which the shop has the API; '' for none
 */
export async function read(path: string, mount = ''): Promise<DescriptionReading> {
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
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  if (!Bundle.hasOtherFiles(parsed.document)) return describe(parsed.document, text, mount);
  try {
    const { document, texts } = await Bundle.bundle(path, parsed.document);
    return describe(document, [text, ...texts].join('\0'), mount);
  } catch (error) {
    if (error instanceof Bundle.BundleFault) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Returns the operations of an OpenAPI 3 or Swagger 2.0 document. Never throws. */
export function parse(text: string): DescriptionReading {
  const parsed = parseText(text);
  return parsed.ok ? describe(parsed.document, text, '') : parsed;
}

function parseText(text: string): { ok: true; document: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, document: parseYaml(text, { logLevel: 'error', uniqueKeys: false }) };
  } catch (error) {
    const [where] = error instanceof YAMLParseError ? (error.linePos ?? []) : [];
    const at = where === undefined ? '' : ` (line ${where.line}, column ${where.col})`;
    return { ok: false, reason: `is neither YAML nor JSON${at}` };
  }
}

function describe(value: unknown, text: string, mount: string): DescriptionReading {
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
  root = { value: Mount.mounted(withPathItems(root.value), mount), path: [] };
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

/** Replaces path items that are references by what they refer to. */
function withPathItems(document: unknown): unknown {
  const root = Schema.node(document);
  const items = Object.entries(Schema.node(root.paths));
  if (!items.some(([, item]) => typeof Schema.node(item).$ref === 'string')) return document;
  const read = Schema.reader(root);
  const resolved = items.map(([path, item]) => {
    const { named: _, ...whole } = read(item);
    return [path, whole];
  });
  return { ...root, paths: Object.fromEntries(resolved) };
}
