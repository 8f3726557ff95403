import { isEmbedded } from '../../catalog/brand.ts';
import { valueAt } from '../../catalog/catalog-edit.ts';
import * as SourceLocation from '../../catalog/source-location.ts';

/** A value of the catalogue that a form edits. */
export type CatalogueField = {
  path: SourceLocation.Path;
  /** The name in the form, such as `plans[2].price_usd`. */
  name: string;
  label: string;
  /** The value in the file as text; empty when the key is missing. */
  value: string;
  /** The text that buyers see while the key is missing: the placeholder of the field. */
  usual?: string;
  /** A sentence below the field. */
  hint?: string;
  kind: 'text' | 'lines' | 'usd' | 'count' | 'switch' | 'colour' | 'choice' | 'services' | 'logo' | 'remove';
  choices?: readonly string[];
  /** The names of the choices where these are ids. */
  choiceNames?: readonly string[];
};
export type FieldGroup = {
  title: string;
  /** Price and contents in a line, beside the title. */
  about: string;
  /** The name in the catalogue's file. */
  id?: string;
  fields: readonly CatalogueField[];
  /** Groups of their own within this one, such as the prices of each model. */
  parts?: readonly Omit<FieldGroup, 'parts'>[];
};
/** The form's text for a logo whose image is in the catalogue's text. */
export const embeddedLogo = 'uploaded image';
export type Shape = readonly [
  key: string,
  label: string,
  kind: CatalogueField['kind'],
  choices?: readonly string[],
  hint?: string,
];

/** Returns the field for a value of the source. */
export function fieldOf(
  root: unknown,
  base: SourceLocation.Path,
  [key, label, kind, choices, hint]: Shape,
): CatalogueField {
  const path = [...base, key];
  const found = valueAt(root, path);
  const value = textOf(kind, found);
  return {
    path,
    name: SourceLocation.format(path),
    label,
    value,
    kind,
    ...(choices && { choices }),
    ...(hint && { hint }),
  };
}

function textOf(kind: CatalogueField['kind'], found: unknown): string {
  if (found === undefined || found === null || kind === 'remove') return '';
  if (kind === 'logo' && isEmbedded(String(found))) return embeddedLogo;
  return Array.isArray(found) ? found.join(', ') : String(found);
}

/** Returns the field of a form with a name; undefined when the form has none. */
export function namedIn(groups: readonly FieldGroup[], name: string): CatalogueField | undefined {
  return groups
    .flatMap(({ fields, parts = [] }) => [...fields, ...parts.flatMap((part) => part.fields)])
    .find((one) => one.name === name);
}
