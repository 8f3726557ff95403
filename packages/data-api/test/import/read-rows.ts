import * as Rows from '../../src/import/rows.ts';
import * as Schema from '../../src/schema/schema.ts';

/** A small schema with every type of field. */
export const thing = Schema.object({
  name: Schema.text({ min: 1, max: 50 }),
  size: Schema.optional(Schema.choice(['small', 'large']), null),
  count: Schema.optional(Schema.integer(0, 1_000), null),
  is_good: Schema.optional(Schema.flag(), null),
  hq: Schema.optional(Schema.object({ city: Schema.optional(Schema.text(), null) }), null),
  tags: Schema.optional(Schema.list(Schema.text(), 5), [] as string[]),
  steps: Schema.optional(
    Schema.list(
      Schema.object({ title: Schema.text(), year: Schema.optional(Schema.integer(0, 9_999), null) }),
      5,
    ),
    [],
  ),
});
export type Thing = Schema.Value<typeof thing>;

/** Cuts bytes into chunks of `size`, to test all chunk boundaries. */
export async function* chunksOf(content: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function rowsOf(
  format: Rows.Format,
  content: string | Uint8Array,
  size?: number,
): Promise<Rows.Row<Thing>[]> {
  const found: Rows.Row<Thing>[] = [];
  for await (const rows of Rows.rows(thing, format, chunksOf(content, size))) found.push(...rows);
  return found;
}

/** Formats entries as `line: name` and bad rows as `line! field: message`. */
export function told(rows: readonly Rows.Row<Thing>[]): string[] {
  return rows.map((row) =>
    row.kind === 'entry'
      ? `${row.line}: ${row.entry.name}`
      : `${row.line}! ${row.faults.map(({ field, message }) => `${field}: ${message}`).join('; ')}`,
  );
}
