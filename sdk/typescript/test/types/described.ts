// Holds the types of this package against the description of the direct interface: each operation that the description has,
// each field, whether it may be left out or null, each value of each list. A difference is a compile error that names it.
import type { CallOptions, Sluice } from 'sluice-client';
import type { Operations } from './direct.ts';

/** Fields and result of a method; `key_info` has no fields. */
type Method<Of extends (...args: never[]) => Promise<unknown>> = {
  fields: CallOptions extends Parameters<Of>[0] ? undefined : NonNullable<Parameters<Of>[0]>;
  answer: Awaited<ReturnType<Of>>;
};

interface Ours {
  'GET /v2/account/key-info': Method<Sluice['account']['key_info']>;
  'POST /v2/search/people': Method<Sluice['search']['people']>;
  'POST /v2/search/companies': Method<Sluice['search']['companies']>;
  'POST /v2/search/employee-finder': Method<Sluice['search']['employee_finder']>;
  'POST /v2/search/waterfall-icp-keyword': Method<Sluice['search']['waterfall_icp']>;
  'POST /api/search/waterfall-icp-real-time': Method<Sluice['search']['waterfall_icp_real_time']>;
  'POST /v2/company/tam-by-jobs': Method<Sluice['search']['tam_by_jobs']>;
  'POST /v2/company/tam-by-people': Method<Sluice['search']['tam_by_people']>;
  'POST /v2/jobs/search': Method<Sluice['jobs']['search']>;
  'POST /v2/jobs/company': Method<Sluice['jobs']['company']>;
  'POST /v2/enrichment/person': Method<Sluice['enrichment']['person']>;
  'POST /v2/enrichment/email': Method<Sluice['enrichment']['email']>;
  'POST /v2/enrichment/phone': Method<Sluice['enrichment']['phone']>;
  'POST /v2/enrichment/email-to-person': Method<Sluice['enrichment']['email_to_person']>;
  'POST /v2/enrichment/phone-to-person': Method<Sluice['enrichment']['phone_to_person']>;
  'POST /v2/enrichment/company': Method<Sluice['enrichment']['company']>;
  'POST /v2/enrichment/domain-to-network': Method<Sluice['enrichment']['domain_to_network']>;
  'POST /v2/enrichment/network-to-domain': Method<Sluice['enrichment']['network_to_domain']>;
  'POST /v2/enrichment/company-distribution-by-country': Method<
    Sluice['enrichment']['company_distribution_by_country']
  >;
  'POST /v2/enrichment/company-distribution-by-department': Method<
    Sluice['enrichment']['company_distribution_by_department']
  >;
  'POST /v2/utils/current-date': Method<Sluice['utils']['current_date']>;
}

/** Every member of a type by its path, with what it may be: `job.seniority.include[]: 0-2`. */
type Paths<T, At extends string = ''> = T extends readonly (infer Item)[]
  ? Paths<Item, `${At}[]`>
  : T extends object
    ? T extends string
      ? never
      : {
          [Name in keyof T & string]-?: Paths<Required<T>[Name], `${At}.${Name}`> | Absent<T, Name, At>;
        }[keyof T & string]
    : `${At}: ${Kind<T>}`;

type Absent<T, Name extends keyof T & string, At extends string> =
  Record<never, never> extends Pick<T, Name> ? `${At}.${Name}: absent` : never;

type Kind<T> = T extends string
  ? string extends T
    ? 'string'
    : T
  : T extends number
    ? 'number'
    : T extends boolean
      ? 'boolean'
      : T extends null
        ? 'null'
        : 'unknown';

/** Only the names: what an answer may lack or have as null is checked by assignment. */
type Names<T> = NameOf<Exclude<Paths<T>, `${string}: absent`>>;
type NameOf<Path> = Path extends `${infer Name}: ${string}` ? Name : never;

type Both<Theirs, Mine> = { missing: Exclude<Theirs, Mine>; surplus: Exclude<Mine, Theirs> };
type None = { missing: never; surplus: never };

type Known = keyof Operations & keyof Ours;

/** The description has no operation that this package lacks. */
export const unknownOperations: [Exclude<keyof Operations, keyof Ours>] extends [never]
  ? true
  : Exclude<keyof Operations, keyof Ours> = true;

type Fields = { [Name in Known]: Both<Paths<Operations[Name]['fields']>, Paths<Ours[Name]['fields']>> };
type AnswerNames = { [Name in Known]: Both<Names<Operations[Name]['answer']>, Names<Ours[Name]['answer']>> };

declare const fields: Fields;
export const sameFields: { [Name in Known]: None } = fields;

declare const answerNames: AnswerNames;
export const sameAnswers: { [Name in Known]: None } = answerNames;

declare const theirs: { [Name in Known]: Operations[Name]['answer'] };
export const fitting: { [Name in Known]: Ours[Name]['answer'] } = theirs;
