import * as Schema from '../schema/schema.ts';

export const itemsMax = 50;
const keywordCharactersMax = 200;

/** A word or more to look for. */
export const keyword = Schema.text({
  min: 1,
  max: keywordCharactersMax,
  rule: {
    holds: (text) => /[\p{L}\p{N}]/u.test(text),
    otherwise: 'Must contain a letter or a digit',
    pattern: '[\\p{L}\\p{N}]',
  },
});

const countryCode = Schema.text({ min: 2, max: 2 });
/** A country code in a plain list. What is no such code finds nothing. */
export const code = Schema.text({ min: 1, max: 3 });

export const keywords = leaf('KeywordFilter', keyword);
export const countryCodes = leaf('CountryFilter', countryCode);

/** `{include, exclude}` over `item`, both lists empty unless given. */
export function leaf<T>(name: string, item: Schema.Schema<T>) {
  const items = anyOf(item);
  return Schema.named(
    name,
    Schema.object({
      include: Schema.about('Any of these.', items),
      exclude: Schema.about('None of these.', items),
    }),
  );
}

/** A plain list of which any may hold; an empty one asks nothing. */
export function anyOf<T>(item: Schema.Schema<T>) {
  return Schema.optional(Schema.list(item, itemsMax), [] as T[]);
}
