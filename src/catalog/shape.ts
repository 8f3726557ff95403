import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import schema from '../../openapi/catalog.schema.json' with { type: 'json' };
import * as JsonPointer from '../kernel/json-pointer.ts';
import { nearest } from '../kernel/nearest.ts';
import type { Draft } from './draft.ts';
import * as Place from './place.ts';

/** A longer value is cut where a reason repeats it. */
const echoCharsMax = 60;

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
});
// Editors show this text too, in place of the pattern.
ajv.addVocabulary(['patternErrorMessage']);
const validate = ajv.compile<Draft>(schema);

/**
 * Checks `value` against the JSON Schema of the catalogue and fills in the schema's defaults, which changes `value`.
 * `draft` is the same value with its type, or null where there are findings.
 */
export function check(value: unknown): { draft: Draft | null; findings: Place.Finding[] } {
  if (validate(value)) return { draft: value, findings: [] };
  const errors = (validate.errors ?? []).filter((error) => error.keyword !== 'if');
  return { draft: null, findings: errors.map(finding) };
}

function finding(error: ErrorObject): Place.Finding {
  const path = pathOf(error);
  return { path, reason: `${Place.name(path)} ${complaint(error)}` };
}

/** A key that is missing or unknown is a place of its own. */
function pathOf({ instancePath, params }: ErrorObject): Place.Path {
  const tokens = JsonPointer.parse(instancePath) ?? [];
  const path = tokens.map((token) => (/^\d+$/.test(token) ? Number(token) : token));
  const key: unknown = params.missingProperty ?? params.additionalProperty;
  return typeof key === 'string' ? [...path, key] : path;
}

/** What the schema says of the place: `verbose` hands it over with the error. */
type Teaching = {
  description?: string;
  examples?: readonly unknown[];
  patternErrorMessage?: string;
  properties?: Readonly<Record<string, Teaching>>;
};

/** What is wrong and how to mend it, to be read after the name of the place. */
function complaint({ keyword, params, parentSchema, data }: ErrorObject): string {
  const taught = (parentSchema ?? {}) as Teaching;
  switch (keyword) {
    case 'required': {
      const meaning = taught.properties?.[params.missingProperty]?.description;
      return meaning === undefined ? 'is missing' : `is missing: ${meaning}`;
    }
    case 'additionalProperties':
      return `is not a key that belongs here: ${choice(params.additionalProperty, Object.keys(taught.properties ?? {}))}`;
    case 'enum':
      return `is ${echo(data)}: ${choice(String(data), params.allowedValues)}`;
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

function choice(wrong: string, allowed: readonly string[]): string {
  const near = nearest(wrong, allowed);
  return near === null ? `choose one of ${allowed.join(', ')}` : `did you mean ${JSON.stringify(near)}?`;
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
  const mend = `${quotable ? 'put it in quotes' : `write ${words}`}${example}`;
  return `${data === null ? 'is empty' : `is not ${words}`}: ${mend}`;
}

function echo(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= echoCharsMax ? json : `${json.slice(0, echoCharsMax)}...`;
}
