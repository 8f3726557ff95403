import { sha256Hex } from '@sluice/kernel/digest';
import * as PersonUrl from '../filters/person-url.ts';
import type { Company } from '../records/company.ts';
import type { PersonRecord } from '../records/person.ts';
import * as CompanyNames from './company-names.ts';
import * as Extras from './extras.ts';
import { knownPeople } from './known-people.ts';
import * as Names from './names.ts';
import * as Prng from './prng.ts';
import * as Sectors from './sectors.ts';

type Position = NonNullable<PersonRecord['experiences']>[number];
type Employer = Pick<Company, 'network_url' | 'name' | 'domain' | 'hq'>;

const leftShare = 0.06;
const promotedShare = 0.15;
const newShare = 0.03;
const newMin = 2;
const newMax = 7;
const dayMs = 86_400_000;

/** Titles that no generated career has, so that only a live search finds them. */
const newTitles = [
  { title: 'Chief AI Officer', topics: ['machine learning', 'ai governance', 'strategy'] },
  { title: 'Head of Revenue Operations', topics: ['revenue operations', 'crm', 'forecasting'] },
  { title: 'Chief of Staff', topics: ['planning', 'stakeholder management', 'reporting'] },
  { title: 'Prompt Engineer', topics: ['language models', 'evaluation', 'python'] },
  { title: 'Developer Advocate', topics: ['public speaking', 'documentation', 'apis'] },
  { title: 'Climate Reporting Manager', topics: ['sustainability', 'reporting', 'audit'] },
  { title: 'Trust and Safety Lead', topics: ['content policy', 'risk', 'investigations'] },
];
const unchanged = new Set(knownPeople.map(({ slug }) => PersonUrl.personUrl(slug)));

/**
 * The people of a fictional company as they are at `nowMs`. Of the stored ones, some have left and some have been promoted,
 * and there are new ones that are not stored. The same arguments always give the same people.
 */
export function liveStaff(
  employer: Employer,
  stored: readonly PersonRecord[],
  nowMs: number,
): PersonRecord[] {
  const staff = stored.flatMap((record) => updated(record, employer, nowMs));
  const newCount = Math.min(newMax, Math.max(newMin, Math.round(stored.length * newShare)));
  const added = newTitles
    .slice(0, newCount)
    .map(({ title, topics }) => newcomer(employer, title, topics, nowMs));
  return [...staff, ...added];
}

/** The stored person with the changes since then; empty if they have left. */
function updated(record: PersonRecord, employer: Employer, nowMs: number): PersonRecord[] {
  if (unchanged.has(record.network_url)) return [record];
  const change = prngOf(record.network_url)();
  if (change < leftShare) return [];
  return [change < leftShare + promotedShare ? promoted(record, employer, nowMs) : record];
}

function promoted(record: PersonRecord, { network_url }: Employer, nowMs: number): PersonRecord {
  const experiences = record.experiences ?? [];
  const at = experiences.findIndex((each) => each.job_is_current && each.company_network_url === network_url);
  const position = experiences[at];
  const title = promotedTitle(position?.job_title ?? '');
  const startDate = monthsBefore(nowMs, 1);
  if (position === undefined || title === null || (position.job_start_date ?? '') >= startDate) return record;
  const next: Position = { ...position, job_title: title, job_start_date: startDate };
  const past: Position = { ...position, job_is_current: false, job_end_date: startDate };
  const changed = [next, ...experiences.slice(0, at), past, ...experiences.slice(at + 1)];
  const headline = record.headline?.replace(position.job_title ?? '', title) ?? null;
  return { ...record, headline, experiences: changed };
}

/** Title of the next step of the career; null if there is none. */
function promotedTitle(title: string): string | null {
  if (title === '' || /\b(Chief|CEO|CTO|Founder|Intern|Apprentice)\b/.test(title)) return null;
  if (/^(Head|Director) of /.test(title)) return title.replace(/^\w+/, 'VP');
  if (title.startsWith('VP of ')) return `Senior ${title}`;
  if (title.startsWith('Junior ')) return title.slice('Junior '.length);
  return /^(Senior|Lead|Principal) /.test(title) ? title.replace(/^\w+/, 'Group Lead') : `Senior ${title}`;
}

function newcomer(
  { network_url, name, domain, hq }: Employer,
  title: string,
  topics: readonly string[],
  nowMs: number,
): PersonRecord {
  const prng = prngOf(`${network_url} ${title}`);
  const country = hq?.country_code ?? 'US';
  const { first, last } = Names.person(prng, country);
  const end = Math.floor(prng() * 0xffff_ffff);
  const slug = `${Names.plain(first)}-${Names.plain(last)}-${end.toString(16).padStart(8, '0')}`;
  const companySlug = network_url?.split('/').at(-1) ?? null;
  const startDate = monthsBefore(nowMs, 1);
  const earlierDate = monthsBefore(nowMs, Prng.between(prng, 20, 60));
  const city = hq?.city ?? null;
  const shared = { job_location: { city, country_code: country }, job_contract_type: 'Full-time' };
  const school = city === null ? 'University' : `University of ${city}`;
  const graduated = Number(earlierDate.slice(0, 4));
  return {
    network_url: PersonUrl.personUrl(slug),
    first_name: first,
    last_name: last,
    full_name: `${first} ${last}`,
    headline: `${title} at ${name}`,
    about_me: `New at ${name}. Working on ${topics.join(', ')}.`,
    location: { city, state: hq?.state ?? null, country_code: country },
    connections_count: Prng.between(prng, 60, 500),
    followers_count: Prng.between(prng, 60, 2_000),
    experiences: [
      {
        ...shared,
        job_title: title,
        company_name: name,
        company_network_url: network_url,
        company_domain: domain,
        job_start_date: startDate,
        job_is_current: true,
        ...Extras.position(prng, slug, 1, companySlug, topics),
      },
      {
        ...shared,
        job_title: 'Consultant',
        company_name: CompanyNames.candidate(prng, Prng.pick(prng, Sectors.anySector(prng).tails), country),
        job_start_date: earlierDate,
        job_end_date: startDate,
        job_is_current: false,
        ...Extras.position(prng, slug, 2, null, topics),
      },
    ],
    education: [
      {
        school_name: school,
        degree: "Bachelor's degree",
        field_of_study: 'Business Administration',
        start_date: `${graduated - 4}-09-01`,
        end_date: `${graduated - 1}-07-01`,
        ...Extras.school(prng, school),
      },
    ],
    skills: [...topics],
    ...Extras.profile(prng, { slug, first, last }, topics, nowMs - Prng.between(prng, 1, 8) * 365 * dayMs),
  };
}

function prngOf(name: string): Prng.Prng {
  return Prng.create(Number.parseInt(sha256Hex(name).slice(0, 8), 16), 0);
}

/** First day of the month, `months` before that of `nowMs`. */
function monthsBefore(nowMs: number, months: number): string {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 10);
}
