import * as Schema from '@sluice/kernel/json-schema';

/**
 * Counting rule for the results of an operation, taken from an OpenAPI description: the list in the response, and the parameter of
 * the request that limits its length. Inferred from the names that most APIs use; the seller should check it.
 */
export type Countable = {
  /** JSON Pointer to the list in the response; '' when the response is the list. */
  units: string;
  unitsMax: number | { pointer: string; default: number; ceiling: number };
  /** Assumptions where the description is silent. */
  doubts: string[];
};

/** Names of the list with the results, the most likely first. */
const listNames = [
  'results',
  'items',
  'data',
  'records',
  'entries',
  'hits',
  'list',
  'rows',
  'values',
  'content',
];
const limitNames = /^(max_?results|limit|per_?page|page_?size|size|first|top|\$top|count|num|rows|take)$/i;
const ceilingAssumed = 100;
const defaultAssumed = 10;
/** The maximum in the schema of the catalogue. */
const ceilingMax = 1_000_000;

/** Infers how the results of an operation are counted; null: each success counts as one. `parameters` include those of its path. */
export function find(
  read: Schema.Reader,
  operation: Schema.Node,
  parameters: readonly unknown[],
  path: string,
): Countable | null {
  const list = listIn(read, operation, path);
  if (list === null) return null;
  const { units } = list;
  const missing = list.mayBeMissing
    ? [
        `${units} may be missing from a success: such a response is withheld as it cannot be counted, unless \`uncountable\` says otherwise`,
      ]
    : [];
  const limit =
    queryLimit(read, parameters) ??
    limitOf(read, Object.entries(Schema.node(schemaOf(read, operation.requestBody).properties)));
  if (limit === null) {
    const doubts = [`no limit is described: at most ${ceilingAssumed} in one answer is assumed`, ...missing];
    return { units, unitsMax: ceilingAssumed, doubts };
  }
  const doubts: string[] = missing;
  const { maximum, default: usual } = limit.schema;
  const ceiling = whole(maximum) ?? Math.max(ceilingAssumed, whole(usual) ?? 0);
  if (whole(maximum) === null)
    doubts.push(`the largest ${limit.name} is not described: ${ceiling} is assumed`);
  if (whole(usual) === null) doubts.push(`what ${limit.name} is without being sent is not described`);
  const pointer = `/${limit.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const fallback = Math.min(whole(usual) ?? (maximum === undefined ? defaultAssumed : ceiling), ceiling);
  return { units, unitsMax: { pointer, default: fallback, ceiling }, doubts };
}

type Limit = { name: string; schema: Schema.Node };

function queryLimit(read: Schema.Reader, parameters: readonly unknown[]): Limit | null {
  const query = parameters.map(read).filter((one) => one.in === 'query');
  return limitOf(
    read,
    query.map(({ name, schema }) => [String(name), schema]),
  );
}

function limitOf(read: Schema.Reader, fields: readonly (readonly [string, unknown])[]): Limit | null {
  for (const [name, value] of fields) {
    const schema = read(value);
    if (limitNames.test(name) && (Schema.isType(schema, 'integer') || Schema.isType(schema, 'number')))
      return { name, schema };
  }
  return null;
}

/** Returns the pointer to the list in a success, and whether the description makes it optional. */
function listIn(
  read: Schema.Reader,
  operation: Schema.Node,
  path: string,
): { units: string; mayBeMissing: boolean } | null {
  const responses = Schema.node(operation.responses);
  const success = Object.keys(responses).find((status) => /^2/.test(status)) ?? 'default';
  const schema = schemaOf(read, responses[success]);
  if (Schema.isType(schema, 'array')) return { units: '', mayBeMissing: false };
  const lists = Object.entries(Schema.node(schema.properties))
    .filter(([, value]) => Schema.isType(read(value), 'array'))
    .map(([name]) => name);
  const last = path.split('/').at(-1) ?? '';
  const likely = [...listNames, last].find((name) => lists.includes(name));
  const name = likely ?? (lists.length === 1 && !last.startsWith('{') ? lists[0] : undefined);
  if (name === undefined) return null;
  // A description without any required member does not show which ones are optional.
  const required = Schema.list(schema.required);
  const mayBeMissing = required.length > 0 && !required.includes(name);
  return { units: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, mayBeMissing };
}

/** Returns the schema of the JSON body of a request or response. */
function schemaOf(read: Schema.Reader, carrier: unknown): Schema.Node {
  const content = Schema.node(read(carrier).content);
  const type = Object.keys(content).find((name) => /[/+]json\b/.test(name)) ?? Object.keys(content)[0];
  return type === undefined ? {} : read(read(content[type]).schema);
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Math.min(Number(value), ceilingMax) : null;
}
