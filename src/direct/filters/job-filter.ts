import type { JobEntry } from '../entries/job.ts';
import * as Schema from '../schema/schema.ts';
import * as Employer from './employer-filter.ts';
import * as Enums from './enums.ts';
import * as Leaf from './leaf.ts';
import * as Lexeme from './lexeme.ts';
import * as Search from './search.ts';

const lastDaysMax = 3_650;
const dayMs = 86_400_000;

/** The parts of a posting's search vector. */
const space = {
  title: 't',
  field: 'f',
  description: 'd',
  skills: 'k',
  taxonomies: 'x',
  seniority: 's',
  employmentType: 'e',
  workArrangement: 'w',
  city: 'l',
  countryCode: 'c',
} as const;

/** Which postings a caller wants. Fields combine with AND. */
export const jobFilter = Schema.named(
  'JobFilter',
  Schema.object({
    title: Schema.about(
      'Words of the job title. `Data Engineer` finds every title that has both words; `[Data Engineer]` only that very title, whatever its case and accents.',
      Schema.optionalObject(Leaf.keywords),
    ),
    description: Schema.about('Words of the posting text.', Schema.optionalObject(Leaf.keywords)),
    ai_keywords: Schema.about(
      'A theme: each word is looked for in title, posting text, skills and taxonomies.',
      Schema.optionalObject(Leaf.keywords),
    ),
    field: Schema.about(
      'Words of the professional field label, such as `Data & Analytics`.',
      Schema.optionalObject(Leaf.keywords),
    ),
    seniority: Schema.about(
      'Years of experience asked for.',
      Schema.optionalObject(Leaf.leaf('SeniorityFilter', Schema.choice(Enums.seniorities))),
    ),
    employment_type: Schema.optionalObject(
      Leaf.leaf('EmploymentTypeFilter', Schema.choice(Enums.employmentTypes)),
    ),
    work_arrangement: Schema.optionalObject(
      Leaf.leaf('WorkArrangementFilter', Schema.choice(Enums.workArrangements)),
    ),
    location: Schema.about(
      'Where the job is, which need not be where the company has its seat.',
      Schema.optionalObject(
        Schema.object({
          city: Schema.about(
            'Whole city names, whatever their case and accents.',
            Schema.optionalObject(Leaf.keywords),
          ),
          country_code: Schema.about(
            'ISO 3166-1 alpha-2 codes in capitals, such as `PT`.',
            Schema.optionalObject(Leaf.countryCodes),
          ),
        }),
      ),
    ),
    date_posted: Schema.about(
      'Only postings of the last days.',
      Schema.optional(Schema.object({ last_days: Schema.integer(1, lastDaysMax) }), null),
    ),
  }),
);
export type JobFilter = Schema.Value<typeof jobFilter>;

/**
 * What the database is asked: a search, the earliest date of posting in milliseconds, and bounds on the employer's
 * headcount, both inside, of which 0 leaves one open.
 */
export type JobCondition = {
  search: Search.Search;
  sinceMs: number | null;
  employees: { min: number; max: number };
};

/** Both filters as one condition, days counted back from `asOfMs`. Without an employer filter any will do. */
export function condition(
  filter: JobFilter,
  employer: Employer.EmployerFilter | null,
  asOfMs: number,
): JobCondition {
  const search = Search.all([
    Search.leaf(filter.title, Search.bracketed(space.title)),
    Search.leaf(filter.description, Search.keyword(space.description)),
    Search.leaf(
      filter.ai_keywords,
      Search.theme([space.title, space.description, space.skills, space.taxonomies]),
    ),
    Search.leaf(filter.field, Search.keyword(space.field)),
    Search.leaf(filter.seniority, Search.exact(space.seniority)),
    Search.leaf(filter.employment_type, Search.exact(space.employmentType)),
    Search.leaf(filter.work_arrangement, Search.exact(space.workArrangement)),
    Search.leaf(filter.location.city, Search.whole(space.city)),
    Search.leaf(filter.location.country_code, Search.exact(space.countryCode)),
    employer && Employer.search(employer),
  ]);
  return {
    search,
    sinceMs: filter.date_posted && asOfMs - filter.date_posted.last_days * dayMs,
    employees: employer?.employee_count ?? { min: 0, max: 0 },
  };
}

/**
 * What a posting is found by, less what its employer adds (`employer-filter.ts`): the other half of `condition`.
 */
export function lexemes(job: JobEntry): Lexeme.Lexeme[] {
  const tag = (name: string, value: string | null) => (value === null ? [] : [Lexeme.exact(name, value)]);
  const wordsOf = (name: string, texts: readonly string[]) =>
    texts.flatMap((text) => Lexeme.wordsOf(name, text));
  return [
    Lexeme.every,
    Lexeme.whole(space.title, job.title),
    ...Lexeme.wordsOf(space.title, job.title),
    ...Lexeme.wordsOf(space.field, job.field),
    ...Lexeme.wordsOf(space.description, job.description),
    ...wordsOf(space.skills, job.skills),
    ...wordsOf(space.taxonomies, job.taxonomies),
    ...tag(space.seniority, job.seniority),
    ...tag(space.employmentType, job.employment_type),
    ...tag(space.workArrangement, job.work_arrangement),
    ...(job.city ? [Lexeme.whole(space.city, job.city)] : []),
    ...tag(space.countryCode, job.country_code),
  ];
}
