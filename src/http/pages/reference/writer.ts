import type { Catalog } from '../../../catalog/catalog.ts';
import type { CommonRefusals } from './refusals.ts';
import type { SchemaWriter } from './schema-kind.ts';

/** The parts of the shop that the pages of operations describe. */
export type ReferenceWriter = SchemaWriter & {
  catalog: Catalog;
  publicUrl: string;
  common: CommonRefusals;
  /** Headers that every sold operation takes, by their text in the description. The overview describes them once. */
  commonHeaders: ReadonlySet<string>;
};
