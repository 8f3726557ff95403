import * as ColumnSchema from './column-schema.ts';
import * as Columns from './columns.ts';
import * as DataFile from './data-file.ts';
import * as HeaderPlan from './header-plan.ts';
import * as ImportPipeline from './import-pipeline.ts';
import { type Part, partKinds, type RowPlan } from './row-plan.ts';
import * as Rows from './rows.ts';
import * as ValueMatch from './value-match.ts';

/** A choice of the seller for a value: `to` is one of ours, or empty to leave the field out. */
export type ChosenMatch = { field: string; from: string; to: string };
export type Options = HeaderPlan.HeaderOptions & {
  matches: readonly ChosenMatch[];
  trustsVerified: boolean;
  signal: AbortSignal;
};
/** A value of a file that is not one of ours, and the one that it probably means; null if none comes near. */
export type Proposal = { field: string; value: string; rows: number; match: string | null };
export type Prepared = {
  files: DataFile.DataFile[];
  renamed: string[];
  warnings: string[];
  /** Reasons why nothing can be imported. */
  reasons: string[];
  proposals: Proposal[];
};

/** Distinct unknown values of one field. More are left to be reported as bad rows. */
const valuesMax = 2_000;

/**
 * Reads the headers and the values of fields with fixed values. Returns the files with plans, and what the seller has to
 * decide before the import. JSONL files must have our fields and values exactly.
 */
export async function prepare(files: readonly DataFile.DataFile[], options: Options): Promise<Prepared> {
  const prepared: Prepared = { files: [], renamed: [], warnings: [], reasons: [], proposals: [] };
  for (const file of files) {
    try {
      if (file.format === 'csv') await prepareCsv(file, options, prepared);
      else prepared.files.push({ ...file, plan: basePlan(file, null, options) });
    } catch (error) {
      const refused = ImportPipeline.asRefused(file, error);
      if (!(refused instanceof ImportPipeline.Refused)) throw refused;
      prepared.reasons.push(refused.message);
    }
  }
  prepared.proposals.sort((one, other) => (one.field < other.field ? -1 : Number(one.field > other.field)));
  for (const { column, field, isUsed } of options.mappings) {
    if (!isUsed && prepared.reasons.length === 0)
      prepared.reasons.push(
        `--map "${column}=${field}": no CSV file has a column ${JSON.stringify(column)} whose kind has the field ${JSON.stringify(field)}`,
      );
  }
  return prepared;
}

/** Returns the files with the accepted proposals. Values without a match are left out. */
export function accepting({ files, proposals }: Prepared): DataFile.DataFile[] {
  return files.map((file) => {
    const { plan } = file;
    if (!plan?.targets) return file;
    const matches: Record<string, Record<string, string>> = { ...plan.matches };
    for (const target of plan.targets) {
      if (target === null) continue;
      for (const { field, value, match } of proposals) {
        if (field !== fieldOf(target)) continue;
        matches[target] = { ...matches[target], [value]: match ?? '' };
      }
    }
    return { ...file, plan: { ...plan, matches } };
  });
}

/** Name of a field in `--match`: `industry` for `company.industry`, `country` for `location.country_code`. */
export function fieldOf(target: string): string {
  const last = target.split('.').at(-1) ?? target;
  return last === 'country_code' ? 'country' : last;
}

function basePlan(
  { kind }: DataFile.DataFile,
  targets: RowPlan['targets'],
  { matches, trustsVerified }: Options,
): RowPlan {
  const byTarget: Record<string, Record<string, string>> = {};
  for (const target of targets ?? []) {
    if (target === null) continue;
    const chosen = matches.filter(({ field }) => field === fieldOf(target));
    if (chosen.length > 0) byTarget[target] = Object.fromEntries(chosen.map(({ from, to }) => [from, to]));
  }
  return { kind, part: null, targets, matches: byTarget, trustsVerified };
}

async function prepareCsv(file: DataFile.DataFile, options: Options, prepared: Prepared): Promise<void> {
  let plan: RowPlan | null = null;
  let scan: ((cells: readonly string[]) => void) | null = null;
  for await (const rows of Rows.records(DataFile.chunks(file, () => {}))) {
    options.signal.throwIfAborted();
    for (const row of rows) {
      if (row.kind === 'bad') continue;
      if (plan !== null) {
        scan?.(row.cells);
        continue;
      }
      const header = HeaderPlan.plan(file.kind, row.cells, options);
      prepared.reasons.push(
        ...header.faults.slice(0, 5).map((fault) => `${file.path}: The header: ${fault}`),
      );
      prepared.warnings.push(...header.warnings.map((warning) => `${file.path}: ${warning}`));
      if (header.renamed.length > 0) prepared.renamed.push(`${file.path}: ${header.renamed.join(', ')}`);
      plan = basePlan(file, header.targets, options);
      scan = scannerOf(plan, row.cells, prepared.proposals);
    }
    if (plan !== null && scan === null) break;
  }
  plan ??= basePlan(file, null, options);
  prepared.files.push({ ...file, plan });
  for (const part of partsOf(plan)) {
    const kind = partKinds[part];
    prepared.files.push({ ...file, kind, plan: { ...plan, kind, part } });
  }
}

/** Parts of a file of people that contain entries of other kinds. */
function partsOf({ kind, targets }: RowPlan): Part[] {
  if (kind !== 'people') return [];
  const parts = Object.keys(partKinds) as Part[];
  return parts.filter((part) => targets?.some((target) => target?.split('.')[0] === part));
}

type Scanned = {
  at: number;
  target: string;
  isOurs(value: string): boolean;
  match(value: string): string | null;
};

/** Columns of a plan whose values may differ from ours: those with fixed values, and numbers under a foreign name. */
function scannedOf({ kind, targets }: RowPlan, header: readonly string[]): Scanned[] {
  const schema = ColumnSchema.columnSchemaOf(kind);
  return (targets ?? []).flatMap((target, at): Scanned[] => {
    const node = target === null ? null : Columns.nodeOf(schema, target);
    if (target === null || node === null) return [];
    if (node.kind === 'number' && header[at]?.trim() !== target)
      return [{ at, target, isOurs: (value) => Columns.isNumber(node, value), match: () => null }];
    const allowed = ValueMatch.valuesOf(target, node);
    if (allowed === null) return [];
    const known = new Set(allowed);
    const match = (value: string) => ValueMatch.match(target, value, allowed);
    return [{ at, target, isOurs: (value) => known.has(value), match }];
  });
}

/** Returns a function that adds a proposal for each new value; null if the plan has no column to scan. */
function scannerOf(
  plan: RowPlan,
  header: readonly string[],
  proposals: Proposal[],
): ((cells: readonly string[]) => void) | null {
  const scanned = scannedOf(plan, header).map((column) => ({
    ...column,
    field: fieldOf(column.target),
    chosen: new Set(['', ...Object.keys(plan.matches[column.target] ?? {})]),
    found: new Map<string, Proposal>(),
  }));
  if (scanned.length === 0) return null;
  return (cells) => {
    for (const { at, field, chosen, found, isOurs, match } of scanned) {
      const value = cells[at]?.trim() ?? '';
      if (chosen.has(value) || isOurs(value)) continue;
      const isFull = found.size >= valuesMax;
      const inOthers = (each: Proposal) => each.field === field && each.value === value;
      const before = found.get(value) ?? (isFull ? undefined : proposals.find(inOthers));
      if (before) {
        before.rows++;
        found.set(value, before);
      } else if (!isFull) {
        const proposal = { field, value, rows: 1, match: match(value) };
        found.set(value, proposal);
        proposals.push(proposal);
      }
    }
  };
}
