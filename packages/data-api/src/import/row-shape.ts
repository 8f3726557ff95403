import * as ColumnSchema from './column-schema.ts';
import * as Columns from './columns.ts';
import * as Complete from './complete.ts';
import type { RowPlan } from './row-plan.ts';
import type { Shape } from './rows.ts';

/** Returns the functions of a plan; null if there is none. */
export function of(plan: RowPlan | undefined): Shape | null {
  if (plan === undefined) return null;
  const schema = ColumnSchema.columnSchemaOf(plan.part === null ? plan.kind : 'people');
  return {
    columns: (header) => Columns.mapped(schema, header, plan.targets ?? header, plan.matches),
    complete: Complete.completer(plan),
  };
}
