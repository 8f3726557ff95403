import { sha256Hex } from '@sluice/kernel/digest';
import type { FieldGroup } from './catalogue-field.ts';
import { textOf, typedIn } from './catalogue-fields.ts';

/** Digests of the texts that a form shows at first, by the names of its fields: a hidden field of the form. */
export function shownDigests(groups: readonly FieldGroup[]): string {
  const fields = groups.flatMap(({ fields: own, parts = [] }) => [
    ...own,
    ...parts.flatMap((part) => part.fields),
  ]);
  return JSON.stringify(
    Object.fromEntries(fields.map(({ name, value, usual = '' }) => [name, digestOf(value || usual)])),
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
