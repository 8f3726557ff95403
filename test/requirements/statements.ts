import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

export const root = resolve(import.meta.dirname, '../..');

const statement = z.strictObject({
  id: z.string().regex(/^\d+(\.\d)?-\d\d$/),
  text: z.string().regex(/^[A-Z`"].*[.:]$/s),
  /** Test files with the full names of their tests, as `vitest list` prints them. */
  tests: z.record(z.string(), z.array(z.string()).min(1)).optional(),
  /** Numbers of decisions that explain why the product differs, or how it reads the statement. */
  decisions: z.array(z.string().regex(/^\d{4}$/)).optional(),
});

const section = z.strictObject({
  section: z.string(),
  title: z.string(),
  statements: z.array(statement).min(1),
});

export type Statement = z.infer<typeof statement>;
export type Section = z.infer<typeof section>;

/** Reads the statements of the requirement, by section. Throws if a file does not fit the schema. */
export function read(): Section[] {
  const folder = join(root, 'test/requirements/statements');
  return globSync('*.yaml', { cwd: folder })
    .sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b))
    .map((file) => {
      const result = section.safeParse(parse(readFileSync(join(folder, file), 'utf8')));
      if (!result.success) throw new Error(`${file}: ${z.prettifyError(result.error)}`);
      return result.data;
    });
}
