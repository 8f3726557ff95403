import type { Experience, PersonEntry } from '../entries/person.ts';
import * as PersonUrl from '../filters/person-url.ts';
import { type Life, type Position, prngOf, type World } from './career.ts';
import * as Company from './company.ts';
import * as Extras from './extras.ts';
import * as Learning from './learning.ts';
import type { Place } from './places.ts';
import * as Prng from './prng.ts';
import * as Staffing from './staffing.ts';

const contractTypes = ['Full-time', 'Full-time', 'Full-time', 'Part-time', 'Contract', 'Freelance'];
const arrangements = ['On-site', 'Hybrid', 'Remote'];
const extrasSeed = 0x5eed;
const firstMember = 10_000_001;
const levelMissingShare = 0.1;

type BareExperience = Omit<Experience, keyof Extras.PositionExtras>;

/** Builds the profile of a career. Some fields are missing at random, as in real profiles. */
export function profileOf(world: World, life: Life, connections: number | null): PersonEntry {
  const prng = prngOf(world, life.index, 1);
  // A generator of their own, so that the other fields do not depend on them.
  const extras = Prng.create(world.seed ^ extrasSeed, life.index);
  const { known, positions } = life;
  const maybe = <T>(value: T, share: number): T | null => (Prng.chance(prng, share) ? value : null);
  const holdsOne = positions.some((position) => position.endMs === null);
  const level = known?.level ?? maybe(life.level, 1 - levelMissingShare);
  const jobFunction =
    known?.function ?? (life.level === 'C-Team' ? Staffing.headDepartment : life.role.function);
  const skills = Prng.sample(prng, life.role.skills, Prng.between(prng, 3, 7)).map((skill) =>
    skill.toLowerCase(),
  );
  return {
    network_url: PersonUrl.personUrl(life.slug),
    member_number: firstMember + life.index * 7,
    profile_token: token('ACoAA', prng),
    sales_token: token('ACwAA', prng),
    first_name: life.first,
    last_name: life.last,
    full_name: `${life.first} ${life.last}`,
    nickname: Prng.chance(prng, 0.04) ? life.first.slice(0, 3) : null,
    civility_title: Prng.chance(prng, 0.03) ? 'Dr.' : null,
    headline: known ? null : maybe(headline(prng, life, skills), 0.3),
    about_me: maybe(about(prng, life, skills), known ? 1 : 0.5),
    location: life.hasKnownCountry ? locationOf(life.place) : null,
    connections_count: connections,
    followers_count: maybe(Math.floor((connections ?? 0) * (0.9 + 3 * prng() ** 6)), 0.8),
    experiences: positions.map((position, at) => ({
      ...experienceOf(prng, position, known !== null),
      ...Extras.position(
        extras,
        life.slug,
        at + 1,
        position.employer.company?.slug ?? null,
        position.role.skills,
      ),
    })),
    education:
      maybe(Learning.education(prng, life), 0.86)?.map((entry) => ({
        ...entry,
        ...Extras.school(extras, entry.school_name),
      })) ?? null,
    skills: maybe(skills, 0.88),
    certifications: maybe(Learning.certifications(prng, life), 0.3),
    languages: maybe(Learning.languages(prng, life.place.country), 0.6),
    job_level: holdsOne ? level : null,
    job_function: holdsOne && life.hasKnownDepartment ? jobFunction : null,
    is_open_to_work: maybe(!holdsOne || Prng.chance(prng, 0.1), 0.7),
    is_premium: maybe(Prng.chance(prng, 0.2), 0.7),
    ...Extras.profile(extras, life, skills, positions[0]?.startMs ?? world.todayMs),
  };
}

function experienceOf(prng: Prng.Prng, position: Position, isKnown: boolean): BareExperience {
  const { employer, place } = position;
  const { company } = employer;
  const [duty = '', other = ''] = Prng.sample(prng, position.role.duties, 2);
  return {
    job_title: position.title,
    company_name: employer.name,
    company_network_url: company && Company.networkUrl(company),
    company_domain: company && Company.domain(company),
    job_description: Prng.chance(prng, 0.4)
      ? `At ${employer.name} it was on me to ${duty}${Prng.chance(prng, 0.5) ? ` and to ${other}` : ''}.`
      : null,
    job_start_date: day(position.startMs),
    job_end_date: position.endMs === null ? null : day(position.endMs),
    job_is_current: position.endMs === null,
    job_contract_type: contractType(prng, isKnown),
    job_work_arrangement: Prng.chance(prng, 0.4) ? Prng.pick(prng, arrangements) : null,
    job_location: Prng.chance(prng, 0.85)
      ? { city: place.city, state_code: place.stateCode, country_code: place.country }
      : null,
  };
}

function contractType(prng: Prng.Prng, isKnown: boolean): string | null {
  const said = Prng.chance(prng, 0.7) ? Prng.pick(prng, contractTypes) : null;
  return isKnown ? 'Full-time' : said;
}

function locationOf(place: Place): PersonEntry['location'] {
  return {
    city: place.city,
    state: place.state,
    state_code: place.stateCode,
    country_code: place.country,
    postal_code: null,
    street_address: null,
  };
}

function headline(prng: Prng.Prng, { positions, role }: Life, skills: readonly string[]): string {
  const title = positions[0]?.title ?? role.title;
  switch (Prng.between(prng, 1, 4)) {
    case 1:
      return `${title} | ${skills.slice(0, 3).join(', ')}`;
    case 2:
      return `I ${Prng.pick(prng, role.duties)}`;
    case 3:
      return `${role.field} with a soft spot for ${skills[0] ?? 'people'}`;
    default:
      return `${title} | Speaker | Mentor`;
  }
}

function about(prng: Prng.Prng, { positions, role, place }: Life, skills: readonly string[]): string {
  const first = positions[0];
  const years = Math.max(1, positions.length * 2);
  const [duty, other] = Prng.sample(prng, role.duties, 2);
  switch (Prng.between(prng, 1, 3)) {
    case 1:
      return `For about ${years} years my work has been to ${duty}. What I enjoy most: to ${other}. Based in ${place.city}.`;
    case 2:
      return `${first?.title ?? role.title} in ${place.city}. I like to ${duty}, and I bring ${skills.slice(0, 3).join(', ')}.`;
    default:
      return `From ${positions.at(-1)?.employer.name ?? place.city} to ${first?.employer.name ?? place.city}: I ${duty} and ${other}. Happy to talk about ${skills[0] ?? role.field}.`;
  }
}

/** Creates a token in the format of the network: a prefix for its kind and about 30 characters. */
function token(prefix: string, prng: Prng.Prng): string {
  const bytes = Buffer.allocUnsafe(24);
  for (let at = 0; at < 24; at += 4) bytes.writeUInt32LE(prng() * 4_294_967_296, at);
  return prefix + bytes.toString('base64url');
}

const days = new Map<number, string>();

/** Formats a day. Cached, because all days are firsts of a month and recur. */
function day(ms: number): string {
  const known = days.get(ms);
  if (known !== undefined) return known;
  const written = new Date(ms).toISOString().slice(0, 10);
  days.set(ms, written);
  return written;
}
