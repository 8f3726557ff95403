import * as Schema from '@sluice/kernel/json-schema';
import type { FoundOperation } from './found-operation.ts';

/** The list of results in a response. */
export type ResultList = {
  /** Its property; '' when the response is the list. */
  name: string;
  schema: Schema.Node;
  /** The description makes it optional. */
  mayBeMissing: boolean;
};

/** `one`: the response is one thing. `passed` names a list in it that was not taken for results although it might be; null without doubt. */
export type Content = { kind: 'list'; list: ResultList } | { kind: 'one'; passed: string | null };

/** Names of a list with results, the most likely first. */
const resultNames = [
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
/** Names that hold parts of a thing, such as the items of an order, when the response has an id. */
const partNames = ['items', 'values', 'content', 'entries'];
const identity = /^(_?id|uuid|guid|(created|updated|modified)(at|on))$/;
/** Properties that hold the main content of a response, so that a list beside it is incidental. */
const prose = /^(text|body|answer|html|markdown|transcript|transcription|translation|subject|caption)$/;
/** Properties about a list or its request: they are no content of their own. */
const envelope =
  /^(total.*|.*count|.*(cursor|token)|page.*|per.*|next.*|prev.*|has.*|is.*|links?|_links|meta.*|pagination|status.*|code|success|ok|errors?|message|(request|search|query|job|session)id|query|q|took|object|kind|type|etag|href|self|limit|offset|from|to|start.*|end.*|since|until|date.*|time.*|currency|units?|lat.*|lon.*|lng|elevation|language|version|copyright|attribution|source|model|usage|created|average|sum|mean|min|max|base|warnings)$/;
const ownPropertiesMax = 4;

/**
 * Distinguishes a list of results from one thing that has an incidental list, such as its tags or attachments. A list is the results where it is
 * the main content: the response has no id, text or many properties of its own beside it, or the list has a usual name or that of the path.
 * @param isPaged the request limits the length of a page, so that a list of objects is the results
 */
export function contentOf(
  read: Schema.Reader,
  { method, operation, path }: FoundOperation,
  isPaged: boolean,
): Content {
  const responses = Schema.node(operation.responses);
  const status = Object.keys(responses).find((one) => /^2/.test(one)) ?? 'default';
  const schema = bodySchema(read, responses[status]);
  if (Schema.isType(schema, 'array'))
    return { kind: 'list', list: { name: '', schema, mayBeMissing: false } };
  const properties = Object.entries(Schema.node(schema.properties)).map(
    ([name, value]) => [name, read(value)] as const,
  );
  const lists = properties.filter(([, value]) => Schema.isType(value, 'array'));
  const last = path.split('/').at(-1) ?? '';
  const named = [...resultNames, last].find((name) => lists.some(([own]) => own === name));
  const name = named ?? (lists.length === 1 && !last.startsWith('{') ? lists[0]?.[0] : undefined);
  const list = lists.find(([own]) => own === name)?.[1];
  if (name === undefined || list === undefined) return { kind: 'one', passed: null };
  const isPage = isPaged && !isScalar(read, list);
  const beside = properties.filter(([own, value]) => own !== name && !Schema.isType(value, 'array'));
  if (beside.some(([own]) => isIdentity(own, path))) {
    const isCreated = status === '201' || !['GET', 'POST'].includes(method);
    const isOfPath = name === last && method === 'GET';
    const isResults = named === name && name !== last && !partNames.includes(name) && !isScalar(read, list);
    if (isCreated || !(isOfPath || isResults || isPage)) return { kind: 'one', passed: null };
  } else if (named === undefined && !isPage && isIncidental(read, list, beside))
    return { kind: 'one', passed: name };
  // A description without any required member does not show which ones are optional.
  const required = Schema.list(schema.required);
  const mayBeMissing = required.length > 0 && !required.includes(name);
  return { kind: 'list', list: { name, schema: list, mayBeMissing } };
}

/** Returns true for a list of unusual name beside which the response has content of its own. */
function isIncidental(
  read: Schema.Reader,
  list: Schema.Node,
  beside: readonly (readonly [string, Schema.Node])[],
): boolean {
  const own = beside.filter(([name]) => !envelope.test(plain(name)));
  const isThing = ({ properties }: Schema.Node) =>
    Object.keys(Schema.node(properties)).some((name) => identity.test(plain(name)));
  return (
    own.some(([name, value]) => prose.test(plain(name)) || isThing(value)) ||
    own.length > ownPropertiesMax ||
    (own.length > 0 && isScalar(read, list))
  );
}

/** Returns true for an `id` or a time of creation, and for `case_id` below `/cases`. */
function isIdentity(name: string, path: string): boolean {
  const fixed = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'));
  const noun = plain(fixed.at(-1) ?? '')
    .replace(/ies$/, 'y')
    .replace(/s$/, '');
  return identity.test(plain(name)) || (noun !== '' && plain(name) === `${noun}id`);
}

function isScalar(read: Schema.Reader, list: Schema.Node): boolean {
  const items = read(list.items);
  return ['string', 'number', 'integer', 'boolean'].some((type) => Schema.isType(items, type));
}

/** A name in lower case without signs: `createdAt` and `created_at` are the same. */
function plain(name: string): string {
  return name.toLowerCase().replace(/(?!^)[^a-z0-9]/g, '');
}

/** Returns the schema of the JSON body of a request or response. */
export function bodySchema(read: Schema.Reader, carrier: unknown): Schema.Node {
  const content = Schema.node(read(carrier).content);
  const type = Object.keys(content).find((name) => /[/+]json\b/.test(name)) ?? Object.keys(content)[0];
  return type === undefined ? {} : read(read(content[type]).schema);
}
