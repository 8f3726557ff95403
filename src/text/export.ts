import { Document, isScalar, Scalar } from 'yaml';
import { defaults } from './defaults.ts';

const heading = ` The texts of the shop's pages, mails and error messages. Change or translate those that you want, and delete the others.
 language: the tag of your language, such as de. Numbers, dates, plural forms and the direction of pages follow it.
 units: the units of your catalogue in your language, such as  result: { one: Ergebnis, other: Ergebnisse }`;

/** All keys with their default texts as YAML: a starting point for a translation. */
export function defaultsAsYaml(): string {
  const document = new Document(defaults);
  document.commentBefore = heading;
  if (document.contents !== null && 'items' in document.contents)
    for (const { value } of document.contents.items as { value: unknown }[])
      if (isScalar(value) && typeof value.value === 'string' && value.value.includes('\n'))
        value.type = Scalar.BLOCK_LITERAL;
  return document.toString({ lineWidth: 0 });
}
