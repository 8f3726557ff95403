import * as Enums from '../filters/enums.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as PersonUrl from '../filters/person-url.ts';
import * as Schema from '../schema/schema.ts';
import { headline, type PersonRecord } from './person.ts';
import * as Span from './span.ts';

const itemsMax = 1_000;
const topSkillsMax = 5;
const countMax = Number.MAX_SAFE_INTEGER;
const longTextCharactersMax = 20_000;
const text = Schema.ifKnown(Schema.text());
const longText = Schema.ifKnown(Schema.text({ max: longTextCharactersMax }));
const flag = Schema.ifKnown(Schema.flag());
const count = Schema.ifKnown(Schema.integer(0, countMax));
const texts = Schema.ifKnown(Schema.list(Schema.text(), itemsMax));

const basicInfo = Schema.object({
  fullname: text,
  first_name: text,
  last_name: text,
  headline: text,
  public_identifier: Schema.text(),
  profile_url: Schema.text(),
  profile_picture_url: text,
  about: longText,
  urn: text,
  location: Schema.ifKnown(
    Schema.object({
      country: text,
      city: text,
      full: text,
      country_code: Schema.about('ISO 3166-1 alpha-2.', text),
    }),
  ),
  creator_hashtags: texts,
  is_creator: flag,
  is_influencer: flag,
  is_premium: flag,
  open_to_work: flag,
  show_follower_count: flag,
  created_timestamp: Schema.about('Milliseconds since 1970.', count),
  background_picture_url: text,
  follower_count: count,
  connection_count: count,
  current_company: text,
  current_company_urn: text,
  current_company_url: text,
  top_skills: texts,
  email: Schema.about(
    'Address that the person shows on the profile, not verified; null if there is none. `/v2/enrichment/email` looks up verified work addresses.',
    Schema.nullable(Schema.text()),
  ),
});

const experience = Schema.object({
  title: text,
  company: text,
  location: text,
  description: longText,
  duration: Schema.about('In words, such as `2 yrs 3 mos`.', text),
  start_date: Span.partialDate,
  end_date: Schema.about('Left out for current positions.', Span.partialDate),
  is_current: Schema.flag(),
  company_network_url: text,
  company_logo_url: text,
  employment_type: text,
  location_type: text,
  company_id: text,
  skills: texts,
  skills_url: text,
});

const education = Schema.object({
  school: text,
  degree: text,
  degree_name: text,
  field_of_study: text,
  duration: Schema.about('In years, such as `2008 - 2013`.', text),
  school_network_url: text,
  school_logo_url: text,
  start_date: Span.partialDate,
  end_date: Span.partialDate,
  school_id: text,
  description: longText,
  activities: longText,
});

/** Fields of a profile in the format of the real-time API. Unknown fields are left out. */
export const fields = {
  basic_info: Schema.named('ProfileBasicInfo', basicInfo),
  experience: Schema.list(Schema.named('ProfileExperience', experience), itemsMax),
  education: Schema.list(Schema.named('ProfileEducation', education), itemsMax),
  certifications: Schema.ifKnown(
    Schema.list(Schema.object({ name: text, issuer: text, issued_date: text }), itemsMax),
  ),
  languages: Schema.ifKnown(Schema.list(Schema.object({ language: text, proficiency: text }), itemsMax)),
};
const profile = Schema.object(fields);
export type Profile = Schema.Value<typeof profile>;

type Position = NonNullable<PersonRecord['experiences']>[number];
type Schooling = NonNullable<PersonRecord['education']>[number];
/** Current employer of the person. Its number, if any, becomes `company_id` of positions there. */
export type Employer = { name: string | null; url: string; number: number | null };

/** Builds the profile at `nowMs`: the duration of current positions ends then. */
export function toProfile(record: PersonRecord, employer: Employer, nowMs: number): Profile {
  return {
    basic_info: basics(record, employer),
    experience: (record.experiences ?? []).map((position) => experienceOf(position, employer, nowMs)),
    education: (record.education ?? []).map(educationOf),
    certifications: record.certifications?.map(({ name, authority, issued_date }) => ({
      name: name ?? undefined,
      issuer: authority ?? undefined,
      issued_date: issued_date ? `Issued ${Span.monthOf(issued_date)}` : undefined,
    })),
    languages: record.languages?.map(({ language, proficiency }) => ({
      language,
      proficiency: proficiency ?? undefined,
    })),
  };
}

function basics(record: PersonRecord, employer: Employer): Profile['basic_info'] {
  const ref = PersonUrl.parsed(NetworkUrl.rehosted(record.network_url));
  if (ref.kind !== 'slug') throw new TypeError('the URL of a stored person is not a profile URL');
  const { first_name, last_name, profile_token, member_number } = record;
  return {
    fullname: record.full_name ?? joined(' ', first_name, last_name),
    first_name: first_name ?? undefined,
    last_name: last_name ?? undefined,
    headline: headline(record) ?? undefined,
    public_identifier: ref.slug,
    profile_url: PersonUrl.personUrl(ref.slug),
    about: record.about_me ?? undefined,
    urn: profile_token
      ? `urn:nw:fsd_profile:${profile_token}`
      : member_number
        ? `urn:nw:member:${member_number}`
        : undefined,
    location: locationOf(record.location ?? {}),
    ...activityOf(record),
    current_company: employer.name ?? undefined,
    current_company_urn: employer.number === null ? undefined : `urn:nw:company:${employer.number}`,
    current_company_url: employer.url,
    top_skills: record.skills?.slice(0, topSkillsMax),
    email: record.profile_email ?? null,
  };
}

/** The pictures of the profile, and how the person uses it. */
function activityOf(record: PersonRecord) {
  return {
    profile_picture_url: record.profile_picture_url ?? undefined,
    creator_hashtags: record.creator_hashtags ?? undefined,
    is_creator: record.is_creator ?? undefined,
    is_influencer: record.is_influencer ?? undefined,
    is_premium: record.is_premium ?? undefined,
    open_to_work: record.is_open_to_work ?? undefined,
    show_follower_count: record.show_follower_count ?? undefined,
    created_timestamp: record.created_timestamp ?? undefined,
    background_picture_url: record.background_picture_url ?? undefined,
    follower_count: record.followers_count ?? undefined,
    connection_count: record.connections_count ?? undefined,
  };
}

function locationOf(place: NonNullable<PersonRecord['location']>): Profile['basic_info']['location'] {
  const { city, state, state_code, country_code } = place;
  const country = countryName(country_code);
  const full = joined(', ', city, state ?? state_code, country);
  return full === undefined
    ? undefined
    : { country, city: city ?? undefined, full, country_code: country_code ?? undefined };
}

function experienceOf(position: Position, employer: Employer, nowMs: number): Profile['experience'][number] {
  const ref = position.company_network_url
    ? NetworkUrl.company(NetworkUrl.rehosted(position.company_network_url))
    : null;
  const isThere =
    ref?.kind === 'number'
      ? ref.number === employer.number
      : ref !== null && NetworkUrl.companyUrl(ref) === employer.url;
  const { city, state_code, country_code } = position.job_location ?? {};
  const { job_start_date: start, job_end_date: end } = position;
  const isCurrent = position.job_is_current ?? !end;
  return {
    title: position.job_title ?? undefined,
    company: position.company_name ?? undefined,
    location: joined(', ', city, state_code, countryName(country_code)),
    description: position.job_description ?? undefined,
    duration: Span.duration(start, isCurrent ? Span.day(nowMs) : end),
    start_date: Span.toPartialDate(start),
    end_date: isCurrent ? undefined : Span.toPartialDate(end),
    is_current: isCurrent,
    company_network_url: ref === null ? undefined : isThere ? employer.url : NetworkUrl.companyUrl(ref),
    company_logo_url: position.company_logo_url ?? undefined,
    employment_type: position.job_contract_type ?? undefined,
    location_type: position.job_work_arrangement ?? undefined,
    company_id: companyId(ref, isThere ? employer.number : null),
    skills: position.skills ?? undefined,
    skills_url: position.skills_url ?? undefined,
  };
}

function companyId(ref: NetworkUrl.CompanyRef | null, number: number | null): string | undefined {
  const known = ref?.kind === 'number' ? ref.number : number;
  return known === null ? undefined : String(known);
}

function educationOf(entry: Schooling): Profile['education'][number] {
  const { school_name, degree, field_of_study, start_date, end_date } = entry;
  return {
    school: school_name ?? undefined,
    degree: joined(', ', degree, field_of_study),
    degree_name: degree ?? undefined,
    field_of_study: field_of_study ?? undefined,
    duration: joined(' - ', start_date?.slice(0, 4), end_date?.slice(0, 4)),
    school_network_url: entry.school_network_url ?? undefined,
    school_logo_url: entry.school_logo_url ?? undefined,
    start_date: Span.toPartialDate(start_date),
    end_date: Span.toPartialDate(end_date),
    school_id: entry.school_id ?? undefined,
    description: entry.description ?? undefined,
    activities: entry.activities ?? undefined,
  };
}

function countryName(code: string | null | undefined): string | undefined {
  return code ? Enums.country(code)?.name : undefined;
}

function joined(separator: string, ...parts: (string | null | undefined)[]): string | undefined {
  return parts.filter((part) => part).join(separator) || undefined;
}

/** A person of the sample data, for examples. */
export const example: Profile = toProfile(
  {
    network_url: `${NetworkUrl.origin}/in/naomi-whitaker`,
    member_number: 10_000_015,
    first_name: 'Naomi',
    last_name: 'Whitaker',
    full_name: 'Naomi Whitaker',
    location: { city: 'Boston', state: 'Massachusetts', state_code: 'MA', country_code: 'US' },
    connections_count: 500,
    followers_count: 450,
    experiences: [
      {
        job_title: 'Director of Operations',
        company_name: 'Tessera Health',
        company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
        job_start_date: '2025-02-01',
        job_is_current: true,
        job_contract_type: 'Full-time',
        job_work_arrangement: 'Hybrid',
        job_location: { city: 'Boston', state_code: 'MA', country_code: 'US' },
      },
    ],
    education: [
      {
        school_name: 'University of Boston',
        degree: "Bachelor's degree",
        field_of_study: 'Operations Management',
        start_date: '1999-09-01',
        end_date: '2002-07-01',
      },
    ],
    skills: ['stakeholder management', 'project management'],
    languages: [{ language: 'English', proficiency: 'Native or bilingual proficiency' }],
  },
  {
    name: 'Tessera Health',
    url: `${NetworkUrl.origin}/company/tessera-health`,
    number: 7_000_004,
  },
  Date.UTC(2026, 4, 14),
);
