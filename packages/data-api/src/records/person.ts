import { createHash } from 'node:crypto';
import type { PersonEntry } from '../entries/person.ts';
import * as Geography from '../filters/geography.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as PersonUrl from '../filters/person-url.ts';
import * as Schema from '../schema/schema.ts';

const itemsMax = 1_000;
const connectionsMax = 500;
const longTextCharactersMax = 20_000;
const text = Schema.nullable(Schema.text());
const longText = Schema.nullable(Schema.text({ max: longTextCharactersMax }));
const day = Schema.nullable(Schema.text({ format: 'date' }));

const experience = Schema.named(
  'Experience',
  Schema.object({
    job_title: text,
    company_name: text,
    company_network_url: text,
    company_network_id: Schema.about(
      'A stable UUID of the company.',
      Schema.nullable(Schema.text({ format: 'uuid' })),
    ),
    company_domain: text,
    job_description: longText,
    job_start_date: day,
    job_end_date: day,
    job_is_current: Schema.flag(),
    job_contract_type: text,
    job_work_arrangement: text,
    job_location: Schema.nullable(
      Schema.named('JobPlace', Schema.object({ city: text, state_code: text, country_code: text })),
    ),
  }),
);

const education = Schema.named(
  'Education',
  Schema.object({
    school_name: text,
    degree: Schema.about('With the field of study.', text),
    start_date: day,
    end_date: day,
  }),
);

const certification = Schema.named(
  'Certification',
  Schema.object({ authority: text, name: text, url: text }),
);

const location = Schema.named(
  'PersonLocation',
  Schema.object({
    city: text,
    state_code: text,
    country_code: text,
    continent: text,
    postal_code: text,
    street_address: text,
  }),
);

/** A person in responses under `/v2`. All fields are present, null if unknown. */
export const person = Schema.named(
  'Person',
  Schema.object({
    first_name: text,
    last_name: text,
    full_name: text,
    nickname: text,
    civility_title: text,
    headline: text,
    about_me: longText,
    location: Schema.nullable(location),
    network_url: Schema.text(),
    connections_count: Schema.about(
      'The network counts up to 500.',
      Schema.nullable(Schema.integer(0, connectionsMax)),
    ),
    profile_picture_url: Schema.about('Always null.', text),
    experiences: Schema.about(
      'All positions, in the order of the profile.',
      Schema.list(experience, itemsMax),
    ),
    education: Schema.nullable(Schema.list(education, itemsMax)),
    skills: Schema.nullable(Schema.list(Schema.text(), itemsMax)),
    certifications: Schema.nullable(Schema.list(certification, itemsMax)),
  }),
);
export type Person = Schema.Value<typeof person>;
type Experience = Schema.Value<typeof experience>;
type Education = Schema.Value<typeof education>;
type Certification = Schema.Value<typeof certification>;
type Location = Schema.Value<typeof location>;

/** Makes all fields optional, at every level. */
type Sparse<T> = T extends (infer Item)[]
  ? Sparse<Item>[]
  : T extends object
    ? { [K in keyof T]?: Sparse<T[K]> }
    : T;
/** A person's entry as stored: without null fields. */
export type PersonRecord = Sparse<PersonEntry> & Pick<PersonEntry, 'network_url'>;
type Position = NonNullable<PersonRecord['experiences']>[number];

export function toPerson(record: PersonRecord): Person {
  const experiences = record.experiences ?? [];
  return {
    first_name: record.first_name ?? null,
    last_name: record.last_name ?? null,
    full_name: record.full_name ?? joined(' ', record.first_name, record.last_name),
    nickname: record.nickname ?? null,
    civility_title: record.civility_title ?? null,
    headline: headline(record),
    about_me: record.about_me ?? null,
    location: locationOf(record.location ?? {}),
    network_url: canonical(record.network_url),
    connections_count: record.connections_count ?? null,
    profile_picture_url: null,
    experiences: experiences.map(experienceOf),
    education: record.education?.map(educationOf) ?? null,
    skills: record.skills ?? null,
    certifications: record.certifications?.map(certificationOf) ?? null,
  };
}

/** Headline of the profile, otherwise of its first position: `Software Engineer | @Northwind Analytics`. */
export function headline(record: Pick<PersonRecord, 'headline' | 'experiences'>): string | null {
  const [first] = record.experiences ?? [];
  const employer = first?.company_name ? `@${first.company_name}` : null;
  return record.headline ?? joined(' | ', first?.job_title, employer);
}

function experienceOf(position: Position): Experience {
  const ref = position.company_network_url
    ? NetworkUrl.company(NetworkUrl.rehosted(position.company_network_url))
    : null;
  const url = ref === null ? null : NetworkUrl.companyUrl(ref);
  return {
    job_title: position.job_title ?? null,
    company_name: position.company_name ?? null,
    company_network_url: url,
    company_network_id: url === null ? null : stableUuid(url),
    company_domain: position.company_domain ?? null,
    job_description: position.job_description ?? null,
    job_start_date: position.job_start_date ?? null,
    job_end_date: position.job_end_date ?? null,
    job_is_current: position.job_is_current ?? !position.job_end_date,
    job_contract_type: position.job_contract_type ?? null,
    job_work_arrangement: position.job_work_arrangement ?? null,
    job_location: placeOf(position.job_location ?? {}),
  };
}

function placeOf(place: NonNullable<Position['job_location']>): Experience['job_location'] {
  const { city = null, state_code = null, country_code = null } = place;
  return known({ city, state_code, country_code });
}

function locationOf(place: NonNullable<PersonRecord['location']>): Location | null {
  const { city = null, state_code = null, country_code = null } = place;
  const { postal_code = null, street_address = null } = place;
  const continent = country_code === null ? null : (Geography.country(country_code)?.continent ?? null);
  return known({ city, state_code, country_code, continent, postal_code, street_address });
}

function educationOf(entry: NonNullable<PersonRecord['education']>[number]): Education {
  const {
    school_name = null,
    degree = null,
    field_of_study = null,
    start_date = null,
    end_date = null,
  } = entry;
  const isSaid = degree !== null && field_of_study !== null && degree.includes(field_of_study);
  return {
    school_name,
    degree: isSaid ? degree : joined(', ', degree, field_of_study),
    start_date,
    end_date,
  };
}

function certificationOf(entry: NonNullable<PersonRecord['certifications']>[number]): Certification {
  const { authority = null, name = null, url = null } = entry;
  return { authority, name, url };
}

function canonical(networkUrl: string): string {
  const ref = PersonUrl.person(NetworkUrl.rehosted(networkUrl));
  if (ref?.kind !== 'slug') throw new TypeError('the URL of a stored person is not a profile URL');
  return PersonUrl.personUrl(ref.slug);
}

/** Returns the object, or null if all of its fields are null. */
function known<T extends object>(value: T): T | null {
  return Object.values(value).some((part) => part !== null) ? value : null;
}

function joined(separator: string, ...parts: (string | null | undefined)[]): string | null {
  return parts.filter((part) => part).join(separator) || null;
}

/** Derives a UUID (RFC 9562, version 8) from the SHA-256 of `name`. */
function stableUuid(name: string): string {
  const bytes = createHash('sha256').update(name).digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
