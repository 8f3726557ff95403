import * as Schema from '@sluice/kernel/json-schema';
import { common, concepts, intents } from './knowledge.ts';
import * as Titles from './titles.ts';

/** An operation of a description that is to be sold. */
export type DraftOperation = {
  call: string;
  path: string;
  operation: Schema.Node;
  parameters: readonly unknown[];
};

/** An operation takes the phrases of the common operation that is this much like it, or of none. */
const likenessMin = 0.9;
const summaryCharsMax = 100;
const commonMax = 3;
const namedMax = 3;

/**
 * Drafts phrases in which buyers may ask for each operation, for the seller to edit: one from its summary and required parameters, one from
 * its response, and some of the common operation that is most like it.
 */
export function asks(read: Schema.Reader, operations: readonly DraftOperation[]): Map<string, string[]> {
  const titles = Titles.open(intents().titles, concepts({}));
  const likenesses = operations.map(({ operation, path }) =>
    titles.likeness([
      Schema.text(operation.summary),
      spaced(`${Schema.text(operation.operationId)} ${path.replace(/\{[^}]*\}/g, ' ')}`),
    ]),
  );
  const known = common();
  return new Map(
    operations.map((operation, at) => {
      const [best, likeness] = mostLike(likenesses[at] as Float64Array);
      const isOwn = likeness >= likenessMin && likenesses.every((other) => (other[best] ?? 0) <= likeness);
      const borrowed = isOwn ? (known[best]?.asks.slice(0, commonMax) ?? []) : [];
      return [operation.call, [...new Set([...ofDescription(read, operation), ...borrowed])]];
    }),
  );
}

function mostLike(likeness: Float64Array): [number, number] {
  const best = likeness.reduce((most, value, at) => (value > (likeness[most] as number) ? at : most), 0);
  return [best, likeness[best] ?? 0];
}

function ofDescription(read: Schema.Reader, { operation, parameters }: DraftOperation): string[] {
  const summary = Schema.text(operation.summary)
    .slice(0, summaryCharsMax)
    .replace(/[.:\s]+$/, '');
  if (summary === '') return [];
  const needed = parameters
    .map((parameter) => read(parameter))
    .filter(({ required, in: place }) => required === true && (place === 'path' || place === 'query'))
    .map(({ name }) => spaced(Schema.text(name)))
    .slice(0, namedMax);
  const start = summary.charAt(0).toLowerCase() + summary.slice(1);
  const given = named(read, operation);
  return [
    needed.length === 0 ? start : `${start}, by ${needed.join(' and ')}`,
    ...(given.length === 0 ? [] : [`${start}: I need ${given.join(', ')}`]),
  ];
}

/** The first values of a response, by their names. */
function named(read: Schema.Reader, operation: Schema.Node): string[] {
  const success = Object.entries(Schema.node(operation.responses)).find(([status]) => status.startsWith('2'));
  const json = Schema.node(Schema.node(read(success?.[1]).content)['application/json']);
  let here = read(json.schema);
  for (let depth = 0; depth < 3; depth++) {
    const list = Object.values(Schema.node(here.properties))
      .map((value) => read(value))
      .find(({ items }) => items !== undefined);
    const inner = here.items === undefined ? list?.items : here.items;
    if (inner === undefined) break;
    here = read(inner);
  }
  return Object.keys(Schema.node(here.properties))
    .filter((name) => !/^id$|_id$|^object$|^type$/i.test(name))
    .map(spaced)
    .slice(0, namedMax);
}

function spaced(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}
