import { hint } from '@sluice/kernel/did-you-mean';
import * as JsonPointer from '@sluice/kernel/json-pointer';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import schema from '../../openapi/catalog.schema.json' with { type: 'json' };
import type { CatalogSource } from './draft.ts';
import * as SourceLocation from './source-location.ts';

/** Longer values are truncated in messages. */
const echoCharsMax = 60;

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  code: { optimize: false },
});
// Editors show this text as well, instead of the pattern.
ajv.addVocabulary(['patternErrorMessage']);
const validate = ajv.compile<CatalogSource>(schema);

/**
 * Validates `value` against the JSON Schema of the catalogue and fills in the schema's defaults, which modifies `value`.
 * `draft`: the same value with its type, or null when there are findings.
 */
export function checkSchema(value: unknown): {
  draft: CatalogSource | null;
  findings: SourceLocation.Finding[];
} {
  if (validate(value)) return { draft: value, findings: [] };
  const errors = (validate.errors ?? []).filter((error) => error.keyword !== 'if');
  return { draft: null, findings: errors.map(finding) };
}

function finding(error: ErrorObject): SourceLocation.Finding {
  const path = pathOf(error);
  return { path, reason: `${SourceLocation.name(path)} ${complaint(error)}` };
}

/** A missing or unknown key has its own location. */
function pathOf({ instancePath, params }: ErrorObject): SourceLocation.Path {
  const tokens = JsonPointer.parse(instancePath) ?? [];
  const path = tokens.map((token) => (/^\d+$/.test(token) ? Number(token) : token));
  const key: unknown = params.missingProperty ?? params.additionalProperty;
  return typeof key === 'string' ? [...path, key] : path;
}

/** The schema of the value, which `verbose` adds to the error. */
type ValueSchema = {
  description?: string;
  examples?: readonly unknown[];
  patternErrorMessage?: string;
  properties?: Readonly<Record<string, ValueSchema>>;
};

/** Describes the fault and how to fix it; the text follows the name of the location. */
function complaint({ keyword, params, parentSchema, data }: ErrorObject): string {
  const taught = (parentSchema ?? {}) as ValueSchema;
  switch (keyword) {
    case 'required': {
      const meaning = taught.properties?.[params.missingProperty]?.description;
      return meaning === undefined ? 'is missing' : `is missing: ${meaning}`;
    }
    case 'additionalProperties':
      return `is not an allowed key here. ${hint(params.additionalProperty, Object.keys(taught.properties ?? {}), 'Allowed keys')}`;
    case 'enum':
      return `is ${echo(data)}. ${hint(String(data), params.allowedValues.map(String), 'Allowed values')}`;
    case 'type':
      return wrongType(String(params.type), data, taught.examples);
    case 'pattern':
      return `is ${echo(data)}: ${taught.patternErrorMessage ?? 'write it in another form'}`;
    case 'minimum':
      return `is ${echo(data)}: the least is ${params.limit}`;
    case 'maximum':
      return `is ${echo(data)}: the most is ${params.limit}`;
    case 'minLength':
    case 'minItems':
      return 'is empty: fill it in or leave the key out';
    case 'maxLength':
      return `is too long: at most ${params.limit} characters`;
    case 'maxItems':
      return `is too long: at most ${params.limit} items`;
    case 'uniqueItems':
      return `names ${echo((data as unknown[])[params.i])} twice: keep one`;
    default:
      return `is refused by the schema (${keyword})`;
  }
}

const inWords: Readonly<Record<string, string>> = {
  object: 'a mapping of keys to values',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  boolean: 'true or false',
};

function wrongType(types: string, data: unknown, examples: readonly unknown[] | undefined): string {
  const wanted = types.split(',');
  const words = wanted.map((type) => inWords[type] ?? type).join(' or ');
  const example = examples?.[0] === undefined ? '' : `, such as ${JSON.stringify(examples[0])}`;
  const quotable = (typeof data === 'number' || typeof data === 'boolean') && !wanted.includes('integer');
  const fix = `${quotable ? 'put it in quotes' : `write ${words}`}${example}`;
  return `${data === null ? 'is empty' : `is not ${words}`}: ${fix}`;
}

function echo(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= echoCharsMax ? json : `${json.slice(0, echoCharsMax)}...`;
}
