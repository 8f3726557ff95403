import * as Schema from '../schema/schema.ts';

const resultsMax = 50;
const resultsDefault = 10;
const cursorCharactersMin = 3;
const cursorCharactersMax = 2_000;
const countMax = Number.MAX_SAFE_INTEGER;

/** The request fields of every operation that is paged by a cursor. */
export const requestFields = {
  max_results: Schema.about(
    'Results on this page, and so the most records that the call can cost.',
    Schema.optional(Schema.integer(1, resultsMax), resultsDefault),
  ),
  cursor: Schema.about(
    'The `cursor` of the page before, with the same filters. Leave it out for the first page.',
    Schema.optional(Schema.text({ min: cursorCharactersMin, max: cursorCharactersMax }), null),
  ),
};

/** The answer fields that surround `results` in such an operation. */
export const answerFields = {
  results_length: Schema.about('Results on this page.', Schema.integer(0, resultsMax)),
  max_results: Schema.integer(1, resultsMax),
  cursor: Schema.about('For the next page; null at the end.', Schema.nullable(Schema.text())),
};

export const totalField = Schema.about('Matches on all pages together.', Schema.integer(0, countMax));

export function results<T>(item: Schema.Schema<T>): Schema.Schema<T[]> {
  return Schema.list(item, resultsMax);
}
