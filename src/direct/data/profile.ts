import type { Experience, PersonEntry } from '../entries/person.ts';
import * as PersonUrl from '../filters/person-url.ts';
import { type Life, type Position, prngOf, type World } from './career.ts';
import * as Learning from './learning.ts';
import type { Place } from './places.ts';
import * as Prng from './prng.ts';

const contractTypes = ['Full-time', 'Full-time', 'Full-time', 'Part-time', 'Contract', 'Freelance'];
const arrangements = ['On-site', 'Hybrid', 'Remote'];
const firstMember = 10_000_001;
const untold = { location: 0.03, level: 0.1, function: 0.12 };

/** A life as the profile tells it. Much is left out here and there, as people do. */
export function profileOf(world: World, life: Life, connections: number | null): PersonEntry {
  const prng = prngOf(world, life.index, 1);
  const { known, positions } = life;
  const tells = <T>(value: T, share: number): T | null => (Prng.chance(prng, share) ? value : null);
  const holdsOne = positions.some((position) => position.endMs === null);
  const level = known?.level ?? tells(life.level, 1 - untold.level);
  const jobFunction =
    known?.function ?? (life.level === 'C-Team' ? 'General Business & Management' : life.role.function);
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
    headline: known ? null : tells(headline(prng, life, skills), 0.3),
    about_me: tells(about(prng, life, skills), known ? 1 : 0.5),
    location: known || !Prng.chance(prng, untold.location) ? locationOf(life.place) : null,
    connections_count: connections,
    followers_count: tells(Math.floor((connections ?? 0) * (0.9 + 3 * prng() ** 6)), 0.8),
    experiences: positions.map((position) => experienceOf(prng, position, known !== null)),
    education: tells(Learning.education(prng, life), 0.86),
    skills: tells(skills, 0.88),
    certifications: tells(Learning.certifications(prng, life), 0.3),
    languages: tells(Learning.languages(prng, life.place.country), 0.6),
    job_level: holdsOne ? level : null,
    job_function: holdsOne ? (known ? jobFunction : tells(jobFunction, 1 - untold.function)) : null,
    is_open_to_work: tells(!holdsOne || Prng.chance(prng, 0.1), 0.7),
    is_premium: tells(Prng.chance(prng, 0.2), 0.7),
  };
}

function experienceOf(prng: Prng.Prng, position: Position, isKnown: boolean): Experience {
  const { employer, place } = position;
  const company = employer.company?.entry;
  const [duty = '', other = ''] = Prng.sample(prng, position.role.duties, 2);
  return {
    job_title: position.title,
    company_name: employer.name,
    company_network_url: company?.network_url ?? null,
    company_domain: company?.domain ?? null,
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

/** Tokens look like this on the network: a prefix that tells their kind, and some 30 characters. */
function token(prefix: string, prng: Prng.Prng): string {
  const bytes = Buffer.allocUnsafe(24);
  for (let at = 0; at < 24; at += 4) bytes.writeUInt32LE(prng() * 4_294_967_296, at);
  return prefix + bytes.toString('base64url');
}

const days = new Map<number, string>();

/** There are only so many first days of months, and writing one anew takes longer than finding it. */
function day(ms: number): string {
  const known = days.get(ms);
  if (known !== undefined) return known;
  const written = new Date(ms).toISOString().slice(0, 10);
  days.set(ms, written);
  return written;
}
