import * as Schema from '../schema/schema.ts';

const resultsMax = 50;
const resultsDefault = 10;
const cursorCharactersMin = 3;
const cursorCharactersMax = 2_000;
const countMax = Number.MAX_SAFE_INTEGER;

/** Request fields of operations that are paged by a cursor. */
export const requestFields = {
  max_results: Schema.about(
    'Maximum number of results on this page, and so of records that the call can cost.',
    Schema.optional(Schema.integer(1, resultsMax), resultsDefault),
  ),
  cursor: Schema.about(
    'The `cursor` of the previous page; the filters must be the same. Leave it out for the first page.',
    Schema.optional(Schema.text({ min: cursorCharactersMin, max: cursorCharactersMax }), null),
  ),
};

/** Response fields of operations that are paged by a cursor. */
export const answerFields = {
  results_length: Schema.about('Results on this page.', Schema.integer(0, resultsMax)),
  max_results: Schema.integer(1, resultsMax),
  cursor: Schema.about('Cursor of the next page; null on the last page.', Schema.nullable(Schema.text())),
};

export const totalField = Schema.about('Number of matches on all pages.', Schema.integer(0, countMax));

export function results<T>(item: Schema.Schema<T>): Schema.Schema<T[]> {
  return Schema.list(item, resultsMax);
}
