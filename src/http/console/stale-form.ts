import { sha256Hex } from '@sluice/kernel/digest';
import type { FieldGroup } from './catalogue-field.ts';
import { textOf, typedIn } from './catalogue-fields.ts';

/** Digests of the texts that a form shows at first, by the names of its fields: a hidden field of the form. */
export function shownDigests(groups: readonly FieldGroup[]): string {
  return JSON.stringify(
    Object.fromEntries(fieldsOf(groups).map(({ name, value }) => [name, digestOf(value)])),
  );
}

/**
 * Returns the texts that a person changed in a form, by the names of its fields. A form that is shown again on top of a changed file takes all others
 * from the file, so that it does not undo the edit of another person.
 */
export function changedIn(form: URLSearchParams): Map<string, string> {
  const before = digestsIn(form.get('was'));
  return new Map([...typedIn(form)].filter(([name, text]) => before.get(name) !== digestOf(text)));
}

/** Returns the fields of a form that another person changed since it was shown, by their names, with the texts that they have now. */
export function changedByOthers(form: URLSearchParams, groups: readonly FieldGroup[]): Map<string, string> {
  const before = digestsIn(form.get('was'));
  return new Map(
    fieldsOf(groups)
      .map(({ name, value }) => [name, value] as const)
      .filter(([name, text]) => before.has(name) && before.get(name) !== digestOf(text)),
  );
}

function fieldsOf(groups: readonly FieldGroup[]) {
  return groups.flatMap(({ fields, parts = [] }) => [...fields, ...parts.flatMap((part) => part.fields)]);
}

function digestsIn(was: string | null): ReadonlyMap<string, unknown> {
  try {
    return new Map(Object.entries((JSON.parse(was ?? '{}') ?? {}) as object));
  } catch {
    return new Map();
  }
}

function digestOf(text: string): string {
  return sha256Hex(textOf(text) ?? '').slice(0, 12);
}
