import type { JobEntry } from '../entries/job.ts';
import * as Company from './company.ts';
import * as CompanyNames from './company-names.ts';
import * as Grades from './grades.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';
import * as Roles from './roles.ts';
import * as Sectors from './sectors.ts';
import * as Shares from './shares.ts';

const firstId = 4_100_000_001;
const dayMs = 86_400_000;
const ageDaysMean = 28;
const ageDaysMax = 400;
/** Maximum number of postings of a company as a share of its employees. */
const hiringShareMax = 0.3;
/** Share of postings whose employer is not in the data set. */
const unattached = 0.01;

const employmentTypes = Prng.weighted(
  [
    { type: 'FULL_TIME', weight: 82 },
    { type: 'PART_TIME', weight: 8 },
    { type: 'CONTRACTOR', weight: 5 },
    { type: 'TEMPORARY', weight: 3 },
    { type: 'PER_DIEM', weight: 1 },
    { type: 'OTHER', weight: 1 },
  ],
  (entry) => entry.weight,
);
const arrangements: Readonly<Record<string, { text: string; office: number; trade: number }>> = {
  'On-site': { text: 'on site', office: 35, trade: 92 },
  Hybrid: { text: 'partly from home', office: 40, trade: 5 },
  'Remote OK': { text: 'remotely if wanted', office: 15, trade: 2 },
  'Remote Solely': { text: 'fully remotely', office: 10, trade: 1 },
};
const arrangementNames = Object.keys(arrangements);
const anyArrangement = {
  office: Prng.weighted(arrangementNames, (name) => arrangements[name]?.office ?? 0),
  trade: Prng.weighted(arrangementNames, (name) => arrangements[name]?.trade ?? 0),
};
const years: Readonly<Record<string, string>> = {
  '0-2': 'up to two years',
  '2-5': 'two to five years',
  '5-10': 'five to ten years',
  '10+': 'more than ten years',
};
const benefits = [
  'Pay is agreed openly and reviewed every year.',
  'The team meets twice a year in one place.',
  'Thirty days of leave and time for learning are part of the contract.',
  'Parents and carers can shape their hours.',
  'Relocation is supported where it is needed.',
];

/** Generates `count` postings, distributed over the companies by `hiring`. Dates count back from `todayMs`. */
export function* postings(
  seed: number,
  companies: readonly Company.SampleCompany[],
  count: number,
  todayMs: number,
): Generator<JobEntry> {
  const prng = Prng.create(seed, 2);
  let id = firstId;
  for (const [index, jobs] of shares(companies, count).entries()) {
    const company = companies[index];
    if (!company) continue;
    for (let made = 0; made < jobs; made++) yield posting(prng, company, id++, todayMs);
  }
}

/** Number of postings of each company, `count` in all where the companies are large enough for them. */
function shares(companies: readonly Company.SampleCompany[], count: number): Int32Array {
  return Shares.divide(companies, count, ({ known, employees, hiring }, scale) => {
    if (known || hiring === 0) return known?.jobs ?? 0;
    return Math.min(Math.floor(employees * hiringShareMax), scale * hiring);
  });
}

function posting(prng: Prng.Prng, company: Company.SampleCompany, id: number, todayMs: number): JobEntry {
  const role = Roles.pick(prng, Prng.pick(prng, company.sector.families));
  const grade = Grades.graded(prng, role);
  const place = locationOf(prng, company);
  const skills = Prng.sample(prng, role.skills, Prng.between(prng, 3, 5));
  const duties = Prng.sample(prng, role.duties, 2);
  const arrangement = anyArrangement[role.ladder](prng);
  const employer = employerOf(prng, company, place);
  const facts = {
    title: grade.title,
    employer: employer.company_name,
    city: place.city,
    duty: duties[0] ?? '',
    skills,
  };
  const said = <T>(value: T, silence: number) => (Prng.chance(prng, silence) ? null : value);
  return {
    id,
    ...employer,
    title: grade.title,
    field: said(role.field, 0.03),
    seniority: said(grade.seniority, 0.06),
    employment_type: grade.title.endsWith('Intern') ? 'INTERN' : said(employmentTypes(prng).type, 0.04),
    work_arrangement: said(arrangement, 0.05),
    city: place.city,
    country_code: place.country,
    posted_at: postedAt(prng, todayMs, place.offset, company.foundedYear),
    skills,
    taxonomies: [role.function, company.industry, ...company.sector.categories.slice(0, 1)],
    description: `As ${article(grade.title)} ${grade.title} you ${duties[0]} and ${duties[1]}. You bring ${series(skills)}. ${Prng.pick(prng, benefits)}`,
    ai_summary: summary(prng, facts, years[grade.seniority] ?? '', arrangements[arrangement]?.text ?? ''),
  };
}

function employerOf(prng: Prng.Prng, company: Company.SampleCompany, place: Places.Place) {
  if (company.known || !Prng.chance(prng, unattached)) {
    return { company_network_url: Company.networkUrl(company), company_name: company.name };
  }
  const { tails } = Sectors.anySector(prng);
  const name = CompanyNames.candidate(prng, Prng.pick(prng, tails), place.country);
  return { company_network_url: null, company_name: name };
}

function locationOf(prng: Prng.Prng, company: Company.SampleCompany): Places.Place {
  const office = Prng.chance(prng, 0.55) ? company.offices[0] : Prng.pick(prng, company.offices);
  const place = office ?? Places.anywhere(prng);
  return Prng.chance(prng, 0.1) ? Places.nearby(prng, place) : place;
}

/** Formats a random date after the foundation in local time: `2026-07-08T23:00:07+02:00`. */
function postedAt(prng: Prng.Prng, todayMs: number, offsetHours: number, foundedYear: number): string {
  const companyDays = (todayMs - Date.UTC(foundedYear, 0, 2)) / dayMs;
  const ageDays = Math.min(ageDaysMax, companyDays, -Math.log(1 - prng()) * ageDaysMean);
  const local = new Date(todayMs - ageDays * dayMs + offsetHours * 3_600_000).toISOString().slice(0, 19);
  return `${local}${offsetHours < 0 ? '-' : '+'}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`;
}

type SummaryFacts = {
  title: string;
  employer: string;
  city: string;
  duty: string;
  skills: readonly string[];
};

function summary(prng: Prng.Prng, facts: SummaryFacts, experience: string, way: string): string {
  const { title, employer, city, duty, skills } = facts;
  const a = article(title);
  switch (Prng.between(prng, 1, 3)) {
    case 1:
      return `${employer} is hiring ${a} ${title} in ${city} to ${duty}. The role asks for ${experience} of experience with ${series(skills)}, and is done ${way}.`;
    case 2:
      return `In ${city}, ${employer} looks for ${a} ${title} who will ${duty}. Welcome are ${experience} of practice and a good command of ${series(skills)}; the work is done ${way}.`;
    default:
      return `This opening at ${employer} is for ${a} ${title} in ${city}, working ${way}. The task is to ${duty}; ${experience} in the field and knowledge of ${series(skills)} are expected.`;
  }
}

function series(items: readonly string[]): string {
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function article(title: string): string {
  return /^(HR|SEO|[AEIO]|Und)/.test(title) ? 'an' : 'a';
}
