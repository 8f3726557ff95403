import * as EmailAddress from '../filters/email-address.ts';
import * as Enums from '../filters/enums.ts';
import * as PersonUrl from '../filters/person-url.ts';
import * as Schema from '../schema/schema.ts';
import { companyLink } from './company.ts';
import * as Field from './field.ts';

/** The network counts no further. */
export const connectionsMax = 500;
/** The last millisecond of the year 9999. */
const timestampMax = 253_402_300_799_999;

const networkUrl = Field.needed.lineThat(
  (text) => PersonUrl.person(text)?.kind === 'slug',
  'Expected a profile URL that ends in /in/<slug>',
);

/** Reference to a person in other entries. */
export const personLink = networkUrl;

const token = (prefix: string) =>
  Field.maybe(
    Field.needed.lineThat(
      (text) => new RegExp(`^${prefix}[A-Za-z0-9_-]{1,95}$`).test(text),
      `Expected a token that begins with ${prefix}`,
    ),
  );

const experience = Schema.object({
  job_title: Field.line,
  company_name: Field.line,
  company_network_url: companyLink,
  company_domain: Field.line,
  job_description: Field.text,
  job_start_date: Field.day,
  job_end_date: Field.day,
  /** If left out, true unless there is an end date. */
  job_is_current: Field.flag,
  job_contract_type: Field.line,
  job_work_arrangement: Field.line,
  job_location: Field.maybe(
    Schema.object({ city: Field.line, state_code: Field.line, country_code: Field.countryCode }),
  ),
  company_logo_url: Field.webAddress,
  /** Skills that the person used in this position. */
  skills: Field.maybe(Schema.list(Field.needed.line, Field.itemsMax)),
  /** Page of the network that lists them. */
  skills_url: Field.webAddress,
});

const education = Schema.object({
  school_name: Field.line,
  degree: Field.line,
  field_of_study: Field.line,
  start_date: Field.day,
  end_date: Field.day,
  school_network_url: Field.webAddress,
  school_logo_url: Field.webAddress,
  /** Number or name by which the network identifies the school. */
  school_id: Field.line,
  description: Field.text,
  /** Clubs, teams and societies. */
  activities: Field.text,
});

const certification = Schema.object({
  authority: Field.line,
  name: Field.line,
  url: Field.line,
  issued_date: Field.day,
});

const location = Schema.object({
  city: Field.line,
  state: Field.line,
  state_code: Field.line,
  country_code: Field.countryCode,
  postal_code: Field.line,
  street_address: Field.line,
});

/** A person with their career, as imported. Positions are in the order of the profile. */
export const person = Schema.object({
  network_url: networkUrl,
  member_number: Field.maybe(Schema.integer(1, 999_999_999_999_999)),
  profile_token: token('ACoAA'),
  sales_token: token('ACwAA'),
  first_name: Field.line,
  last_name: Field.line,
  full_name: Field.line,
  nickname: Field.line,
  civility_title: Field.line,
  headline: Field.line,
  about_me: Field.text,
  location: Field.maybe(location),
  connections_count: Field.maybe(Schema.integer(0, connectionsMax)),
  followers_count: Field.maybe(Schema.integer(0, 1_000_000_000)),
  experiences: Field.listOf(experience),
  education: Field.maybe(Schema.list(education, Field.itemsMax)),
  skills: Field.maybe(Schema.list(Field.needed.line, Field.itemsMax)),
  certifications: Field.maybe(Schema.list(certification, Field.itemsMax)),
  languages: Field.maybe(
    Schema.list(Schema.object({ language: Field.needed.line, proficiency: Field.line }), Field.itemsMax),
  ),
  job_level: Field.choice(Enums.jobLevels),
  job_function: Field.choice(Enums.jobFunctions),
  is_open_to_work: Field.flag,
  is_premium: Field.flag,
  is_creator: Field.flag,
  is_influencer: Field.flag,
  /** Topics that a creator writes about, such as `#logistics`. */
  creator_hashtags: Field.maybe(Schema.list(Field.needed.line, Field.itemsMax)),
  /** True if the profile shows its number of followers to everyone. */
  show_follower_count: Field.flag,
  /** Creation of the profile, in milliseconds since 1970. */
  created_timestamp: Field.maybe(Schema.integer(0, timestampMax)),
  profile_picture_url: Field.webAddress,
  background_picture_url: Field.webAddress,
  /** Address that the person shows on the profile. Unlike the addresses of the kind `emails`, it is never verified. */
  profile_email: Field.maybe(
    Field.needed.lineThat((text) => EmailAddress.parse(text) !== null, 'Expected an email address'),
  ),
});
export type PersonEntry = Schema.Value<typeof person>;
export type Experience = PersonEntry['experiences'][number];

/** Matches most URLs: those in canonical form, without anything to decode. */
const plainUrl = new RegExp(`^${PersonUrl.personUrl('')}([a-z0-9-]+)$`);

/** Slug of a person's URL, which is the natural key. The URL must be valid for an entry. */
export function slugIn(networkUrl: string): string {
  const plain = plainUrl.exec(networkUrl)?.[1];
  if (plain !== undefined) return plain;
  const ref = PersonUrl.parsed(networkUrl);
  if (ref.kind !== 'slug') throw new TypeError('a person entry is addressed by its slug');
  return ref.slug;
}

/** Returns true if the person holds the position now. */
export function isCurrent(position: Experience): boolean {
  return position.job_is_current ?? position.job_end_date === null;
}

/** First current position; null if there is none. */
export function currentPosition(entry: PersonEntry): Experience | null {
  return entry.experiences.find(isCurrent) ?? null;
}
