import * as Schema from '../schema/schema.ts';
import * as CountryCode from './country-code.ts';

export const itemsMax = 50;
const keywordCharactersMax = 200;

export const keywords = keywordsIn(1);
export const countryCodes = filter('CountryFilter', CountryCode.field);

/** Keywords that are searched in `parts` parts of each record. */
export function keywordsIn(parts: number) {
  return filter('KeywordFilter', keywordOf(parts));
}

/** One or more words, searched in `parts` parts of each record. */
export function keywordOf(parts: number): Schema.Schema<string> {
  return Schema.text({
    min: 1,
    max: keywordCharactersMax,
    termsPerWord: parts,
    rule: {
      holds: (text) => /[\p{L}\p{N}]/u.test(text),
      otherwise: 'Must contain a letter or a digit',
      pattern: '[\\p{L}\\p{N}]',
    },
  });
}

/** Filter `{include, exclude}` of `item`. Both lists are empty by default. */
export function filter<T>(name: string, item: Schema.Schema<T>) {
  const items = anyOf(item);
  return Schema.named(
    name,
    Schema.object({
      include: Schema.about('Any of these.', items),
      exclude: Schema.about('None of these.', items),
    }),
  );
}

/** A list of alternatives; empty for no condition. */
export function anyOf<T>(item: Schema.Schema<T>) {
  return Schema.optional(Schema.list(item, itemsMax), [] as T[]);
}
