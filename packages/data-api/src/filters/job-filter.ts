import type { JobEntry } from '../entries/job.ts';
import * as Schema from '../schema/schema.ts';
import * as Employer from './employer-filter.ts';
import * as Enums from './enums.ts';
import * as IncludeExclude from './include-exclude.ts';
import * as Lexeme from './lexeme.ts';
import * as Tsquery from './tsquery.ts';

const lastDaysMax = 3_650;
const dayMs = 86_400_000;

/** Prefixes of the parts of a posting's search vector. */
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

/** Parts searched by `ai_keywords`. */
const themeParts = [space.title, space.description, space.skills, space.taxonomies] as const;

/** Filter on postings. Fields combine with AND. */
export const jobFilter = Schema.named(
  'JobFilter',
  Schema.object({
    title: Schema.about(
      'Words of the job title. `Data Engineer` finds every title with both words; `[Data Engineer]` only exactly that title, ignoring case and accents.',
      Schema.optionalObject(IncludeExclude.keywords),
    ),
    description: Schema.about('Words of the posting text.', Schema.optionalObject(IncludeExclude.keywords)),
    ai_keywords: Schema.about(
      'A theme: each word must occur in the title, posting text, skills or taxonomies.',
      Schema.optionalObject(IncludeExclude.keywordsIn(themeParts.length)),
    ),
    field: Schema.about(
      'Words of the professional field label, such as `Data & Analytics`.',
      Schema.optionalObject(IncludeExclude.keywords),
    ),
    seniority: Schema.about(
      'Required years of experience.',
      Schema.optionalObject(IncludeExclude.filter('SeniorityFilter', Schema.choice(Enums.seniorities))),
    ),
    employment_type: Schema.optionalObject(
      IncludeExclude.filter('EmploymentTypeFilter', Schema.choice(Enums.employmentTypes)),
    ),
    work_arrangement: Schema.optionalObject(
      IncludeExclude.filter('WorkArrangementFilter', Schema.choice(Enums.workArrangements)),
    ),
    location: Schema.about(
      'Location of the job, which can differ from the headquarters of the company.',
      Schema.optionalObject(
        Schema.object({
          city: Schema.about(
            'Whole city names, ignoring case and accents.',
            Schema.optionalObject(IncludeExclude.keywords),
          ),
          country_code: Schema.about(
            'ISO 3166-1 alpha-2 codes, such as `PT`.',
            Schema.optionalObject(IncludeExclude.countryCodes),
          ),
        }),
      ),
    ),
    date_posted: Schema.about(
      'Only postings of the last days; all without `last_days`.',
      Schema.optionalObject(
        Schema.object({ last_days: Schema.optional(Schema.integer(1, lastDaysMax), null) }),
      ),
    ),
  }),
);
export type JobFilter = Schema.Value<typeof jobFilter>;

/**
 * Filters as a search query, the earliest date of posting in milliseconds, and inclusive bounds on the employer's
 * headcount (0 means no bound).
 */
export type JobCondition = {
  search: Tsquery.Search;
  sinceMs: number | null;
  employees: { min: number; max: number };
};

/** Combines both filters. Days are counted back from `asOfMs`. A null `employer` matches any. */
export function condition(
  filter: JobFilter,
  employer: Employer.EmployerFilter | null,
  asOfMs: number,
): JobCondition {
  const search = Tsquery.all([
    Tsquery.includeExclude(filter.title, Tsquery.bracketed(space.title)),
    Tsquery.includeExclude(filter.description, Tsquery.keyword(space.description)),
    Tsquery.includeExclude(filter.ai_keywords, Tsquery.theme(themeParts)),
    Tsquery.includeExclude(filter.field, Tsquery.keyword(space.field)),
    Tsquery.includeExclude(filter.seniority, Tsquery.exact(space.seniority)),
    Tsquery.includeExclude(filter.employment_type, Tsquery.exact(space.employmentType)),
    Tsquery.includeExclude(filter.work_arrangement, Tsquery.exact(space.workArrangement)),
    Tsquery.includeExclude(filter.location.city, Tsquery.exactField(space.city)),
    Tsquery.includeExclude(filter.location.country_code, Tsquery.exact(space.countryCode)),
    employer && Employer.search(employer),
  ]);
  const days = filter.date_posted.last_days;
  return {
    search,
    sinceMs: days === null ? null : asOfMs - days * dayMs,
    employees: employer?.employee_count ?? { min: 0, max: 0 },
  };
}

/**
 * Lexemes of a posting, matching `condition`, without those of its employer (`employer-filter.ts`).
 */
export function lexemes(job: JobEntry): Lexeme.Lexeme[] {
  const tag = (name: string, value: string | null) => (value === null ? [] : [Lexeme.exact(name, value)]);
  const wordsOf = (name: string, texts: readonly string[]) =>
    texts.flatMap((text) => Lexeme.wordsOf(name, text));
  return [
    Lexeme.every,
    Lexeme.exactField(space.title, job.title),
    ...Lexeme.wordsOf(space.title, job.title),
    ...Lexeme.wordsOf(space.field, job.field),
    ...Lexeme.wordsOf(space.description, job.description),
    ...wordsOf(space.skills, job.skills),
    ...wordsOf(space.taxonomies, job.taxonomies),
    ...tag(space.seniority, job.seniority),
    ...tag(space.employmentType, job.employment_type),
    ...tag(space.workArrangement, job.work_arrangement),
    ...(job.city ? [Lexeme.exactField(space.city, job.city)] : []),
    ...tag(space.countryCode, job.country_code),
  ];
}
