import { sha256Hex } from '@sluice/kernel/digest';
import type { Experience, PersonEntry } from '../entries/person.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as PersonUrl from '../filters/person-url.ts';
import * as Names from './names.ts';
import * as Prng from './prng.ts';

type Education = NonNullable<PersonEntry['education']>[number];
type ProfileExtras = Pick<
  PersonEntry,
  | 'is_creator'
  | 'is_influencer'
  | 'creator_hashtags'
  | 'show_follower_count'
  | 'created_timestamp'
  | 'profile_picture_url'
  | 'background_picture_url'
  | 'profile_email'
>;
export type PositionExtras = Pick<Experience, 'company_logo_url' | 'skills' | 'skills_url'>;
export type SchoolExtras = Pick<
  Education,
  'school_network_url' | 'school_logo_url' | 'school_id' | 'description' | 'activities'
>;

/** A reserved name (RFC 2606): the pictures do not exist. */
const media = 'https://media.example';
const firstProfileMs = Date.UTC(2006, 0, 1);
const schoolIdsFrom = 3_000_000;
const schoolIds = 1_000_000;
const clubs = [
  'Debating society',
  'Rowing club',
  'Student council',
  'University orchestra',
  'Robotics team',
  'Volunteer at the open day',
  'Chess club',
];
const studies = [
  'Thesis written with a local company.',
  'Graduated with honours.',
  'One semester abroad.',
  'Final project on process improvement.',
];

/** Draws the fields of a profile that most people leave empty. `beforeMs`: the profile is older. */
export function profile(
  prng: Prng.Prng,
  who: { slug: string; first: string; last: string },
  topics: readonly string[],
  beforeMs: number,
): ProfileExtras {
  const maybe = <T>(value: T, share: number): T | null => (Prng.chance(prng, share) ? value : null);
  const isCreator = Prng.chance(prng, 0.1);
  const age = Math.floor(prng() * Math.max(0, beforeMs - firstProfileMs));
  const tags = topics
    .slice(0, Prng.between(prng, 2, 4))
    .map((topic) => `#${topic.replace(/[^a-z0-9]/g, '')}`);
  return {
    is_creator: maybe(isCreator, 0.8),
    is_influencer: maybe(isCreator && Prng.chance(prng, 0.05), 0.8),
    creator_hashtags: isCreator ? tags : null,
    show_follower_count: maybe(isCreator || Prng.chance(prng, 0.6), 0.7),
    created_timestamp: maybe(firstProfileMs + age, 0.8),
    profile_picture_url: maybe(`${media}/people/${encodeURIComponent(who.slug)}.jpg`, 0.7),
    background_picture_url: maybe(`${media}/people/${encodeURIComponent(who.slug)}-background.jpg`, 0.3),
    profile_email: maybe(`${Names.plain(who.first)}.${Names.plain(who.last)}@inbox.example`, 0.06),
  };
}

/** Draws the fields of position `order` (from 1) of a profile. */
export function position(
  prng: Prng.Prng,
  personSlug: string,
  order: number,
  companySlug: string | null,
  skills: readonly string[],
): PositionExtras {
  const used = Prng.chance(prng, 0.15) ? Prng.sample(prng, skills, Prng.between(prng, 1, 3)) : null;
  return {
    company_logo_url:
      companySlug !== null && Prng.chance(prng, 0.35)
        ? `${media}/companies/${encodeURIComponent(companySlug)}.png`
        : null,
    skills: used?.map((skill) => skill.toLowerCase()) ?? null,
    skills_url:
      used === null ? null : `${PersonUrl.personUrl(personSlug)}/details/experience/${order}/skills`,
  };
}

/** Draws the fields of an education entry. A school has the same address and number on every profile. */
export function school(prng: Prng.Prng, name: string): SchoolExtras {
  const slug = Names.plain(name);
  const isOnNetwork = Prng.chance(prng, 0.45);
  return {
    school_network_url: isOnNetwork ? `${NetworkUrl.origin}/school/${slug}` : null,
    school_logo_url: isOnNetwork ? `${media}/schools/${slug}.png` : null,
    school_id: isOnNetwork ? schoolId(slug) : null,
    description: Prng.chance(prng, 0.12) ? Prng.pick(prng, studies) : null,
    activities: Prng.chance(prng, 0.2) ? Prng.sample(prng, clubs, Prng.between(prng, 1, 2)).join(', ') : null,
  };
}

const knownSchools = new Map<string, string>();

function schoolId(slug: string): string {
  const known = knownSchools.get(slug);
  if (known !== undefined) return known;
  const id = String(schoolIdsFrom + (Number.parseInt(sha256Hex(slug).slice(0, 8), 16) % schoolIds));
  knownSchools.set(slug, id);
  return id;
}
