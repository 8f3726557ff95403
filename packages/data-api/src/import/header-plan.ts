import { nearest } from '@sluice/kernel/did-you-mean';
import type { Kind } from '../entries/kind.ts';
import type { Schema } from '../schema/schema.ts';
import * as Aliases from './aliases.ts';
import * as ColumnSchema from './column-schema.ts';
import * as Columns from './columns.ts';

/** A choice of the seller: the field for a column; empty to skip the column. `isUsed` is set when a file has the column. */
export type Mapping = { column: string; field: string; isUsed: boolean };
export type HeaderOptions = {
  mappings: readonly Mapping[];
  /** True if unknown columns are errors instead of warnings. */
  isStrict: boolean;
};
export type HeaderPlan = {
  /** Field of each column; null for skipped ones. */
  targets: (string | null)[];
  /** Columns whose name differs from the field, as `Company Name -> company.name`. */
  renamed: string[];
  warnings: string[];
  faults: string[];
};

type Choice = { field: string; rank: number };
type Chooser = (name: string) => Choice | null;

/**
 * Chooses the field of each column: by the seller's mapping, then by exact name, by name without case and punctuation, and
 * by the names that CRM exports use. A field that several columns could fill gets the best of them.
 */
export function plan(kind: Kind, header: readonly string[], options: HeaderOptions): HeaderPlan {
  const schema = ColumnSchema.columnSchemaOf(kind);
  const names = header.map((name) => name.trim());
  const found: HeaderPlan = { targets: names.map(() => null), renamed: [], warnings: [], faults: [] };
  const isDone = names.map(() => false);
  const taken = new Map<string, string>();
  const take = (at: number, field: string) => {
    const name = names[at] ?? '';
    found.targets[at] = field;
    isDone[at] = true;
    taken.set(field, name);
  };
  const overlapping = (field: string) =>
    [...taken.keys()].find((other) => Columns.areOverlapping(other, field));

  for (const [at, name] of names.entries()) {
    const mapping = mappingOf(schema, name, options.mappings);
    if (mapping === null) continue;
    mapping.isUsed = true;
    isDone[at] = true;
    if (mapping.field !== '') take(at, mapping.field);
  }
  for (const [at, name] of names.entries()) {
    if (isDone[at] || name === '' || Columns.nodeOf(schema, name) === null) continue;
    if (overlapping(name) !== undefined)
      found.faults.push(`Column ${JSON.stringify(name)} appears twice, or next to a column that contains it`);
    else take(at, name);
  }
  for (const choose of choosers(kind, schema)) {
    const chosen = names
      .map((name, at) => ({ at, choice: isDone[at] || name === '' ? null : choose(name) }))
      .filter((each): each is { at: number; choice: Choice } => each.choice !== null)
      .sort((one, other) => one.choice.rank - other.choice.rank);
    for (const { at, choice } of chosen) {
      const other = overlapping(choice.field);
      if (other === undefined) {
        take(at, choice.field);
        continue;
      }
      isDone[at] = true;
      found.warnings.push(
        `Skipped column ${JSON.stringify(names[at])}: ${JSON.stringify(taken.get(other))} is already used as ${other}. Choose: --map "${names[at]}=${choice.field}"`,
      );
    }
  }
  found.renamed = names.flatMap((name, at) => {
    const field = found.targets[at] ?? name;
    return field === name ? [] : [`${name} -> ${field}`];
  });
  addUnknown(
    found,
    kind,
    names.filter((_, at) => !isDone[at]),
    options.isStrict,
  );
  addMissing(
    found,
    kind,
    names.filter((_, at) => !isDone[at]),
  );
  return found;
}

/** The mapping for a column, if the kind has its field; null if there is none. */
function mappingOf(schema: Schema, name: string, mappings: readonly Mapping[]): Mapping | null {
  return (
    mappings.find(
      ({ column, field }) =>
        (column === name || Aliases.normal(column) === Aliases.normal(name)) &&
        (field === '' || Columns.nodeOf(schema, field) !== null),
    ) ?? null
  );
}

function choosers(kind: Kind, schema: Schema): Chooser[] {
  const fields = new Map(
    Columns.namesOf(schema, 'first of a list').map((field) => [Aliases.normal(field), field]),
  );
  const byName: Chooser = (name) => {
    const field = fields.get(Aliases.normal(name));
    return field === undefined ? null : { field, rank: 0 };
  };
  return [byName, (name) => Aliases.aliasOf(kind, name)];
}

function addUnknown(found: HeaderPlan, kind: Kind, names: readonly string[], isStrict: boolean): void {
  const schema = ColumnSchema.columnSchemaOf(kind);
  const known = Columns.namesOf(schema, 'first of a list');
  for (const name of names) {
    if (isStrict) {
      found.faults.push(Columns.unknown(schema, name));
      continue;
    }
    const near = nearest(name, known);
    const hint = near === null ? '' : `. Did you mean ${JSON.stringify(near)}? Use --map "${name}=${near}"`;
    found.warnings.push(
      name === ''
        ? 'Skipped a column without a name'
        : `Skipped unknown column ${JSON.stringify(name)}${hint}`,
    );
  }
}

/** Adds an error for each needed column that is missing, with the unknown columns that could be meant. */
function addMissing(found: HeaderPlan, kind: Kind, unknown: readonly string[]): void {
  const missing = ColumnSchema.needed[kind].filter(
    (group) => !group.some((field) => found.targets.some((target) => target?.split('.')[0] === field)),
  );
  if (missing.length === 0) return;
  const schema = ColumnSchema.columnSchemaOf(kind);
  const hints = found.faults.length > 0 ? [] : unknown.filter((name) => name !== '').slice(0, 3);
  found.faults.push(
    ...hints.map((name) => Columns.unknown(schema, name)),
    ...missing.map((group) =>
      group.length === 1
        ? `Column ${JSON.stringify(group[0])} is missing. Name the column that has it: --map "Column=${group[0]}"`
        : `One of the columns ${group.join(', ')} is missing. Name a column that has it: --map "Column=${group[0]}"`,
    ),
  );
}
