import type { Kind } from '../entries/kind.ts';

/**
 * Conversion of the rows of a file to entries of a kind. A plan is plain data. A file of people with columns of other kinds
 * (email, phone, company) has a plan for each of them.
 */
export type RowPlan = {
  /** Kind of the entries that the plan produces. */
  kind: Kind;
  /** Column of a file of people that the entries are taken from; null if the file is of the plan's own kind. */
  part: Part | null;
  /** Field of each column, null for a skipped column; null as a whole for JSONL, which has fields. */
  targets: readonly (string | null)[] | null;
  /** Replacements of values by field, from the text in the file to one of ours; empty to leave the field out. */
  matches: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** True if imported verification times count until our own test. */
  trustsVerified: boolean;
};

/** Columns of a file of people that contain entries of other kinds. */
export type Part = 'company' | 'email' | 'phone' | 'mobile_phone';
export const partKinds: Readonly<Record<Part, Kind>> = {
  company: 'companies',
  email: 'emails',
  phone: 'phones',
  mobile_phone: 'phones',
};
