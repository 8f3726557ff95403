import type { SampleCompany } from './company.ts';
import * as CompanyNames from './company-names.ts';
import * as Grades from './grades.ts';
import type { KnownPerson } from './known-people.ts';
import * as Names from './names.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';
import * as Roles from './roles.ts';
import * as Seats from './seats.ts';
import * as Sectors from './sectors.ts';
import * as Staffing from './staffing.ts';

/** The companies and jobs shared by all people of a sample. */
export type World = {
  seed: number;
  todayMs: number;
  companies: readonly SampleCompany[];
  pastEmployers: PastEmployers;
  seats: Seats.Seats;
  /** The people used in examples, by their index. */
  known: ReadonlyMap<number, KnownPerson>;
};
/** Draw a company that people have worked for, a larger one more often. */
export type PastEmployers = {
  all(prng: Prng.Prng): SampleCompany;
  bySector: ReadonlyMap<Sectors.Sector, (prng: Prng.Prng) => SampleCompany>;
};
/** A fictional person's career. `profile.ts` adds the profile, `contacts.ts` the contacts. */
export type Life = {
  index: number;
  slug: string;
  first: string;
  last: string;
  place: Places.Place;
  /** In the order of the profile: current positions first, then backwards in time. */
  positions: readonly Position[];
  role: Roles.Role;
  level: string | null;
  known: KnownPerson | null;
  /** False for people whose profile does not show the country or the department. */
  hasKnownCountry: boolean;
  hasKnownDepartment: boolean;
};
export type Position = {
  employer: { company: SampleCompany | null; name: string };
  title: string;
  role: Roles.Role;
  place: Places.Place;
  startMs: number;
  /** Null for a position held now. */
  endMs: number | null;
};

const yearMs = 365.25 * 86_400_000;
const positionsMax = 8;
const sideTitles = ['Advisor', 'Board Member', 'Mentor', 'Visiting Lecturer', 'Non-Executive Director'];
const yearsOf: Readonly<Record<string, readonly [number, number]>> = {
  '0-2': [0.2, 2],
  '2-5': [2, 5],
  '5-10': [5, 10],
  '10+': [10, 34],
};

/** Random numbers for one person and one `purpose` from 0 to 3, independent of all others. */
export function prngOf(world: World, index: number, purpose: number): Prng.Prng {
  return Prng.create(world.seed, 1_000 + 4 * index + purpose);
}

export function lifeOf(world: World, index: number): Life {
  const prng = prngOf(world, index, 0);
  const { company, isHead, home, family, ...who } = whoOf(prng, world, index);
  const sector = company?.sector ?? Sectors.anySector(prng);
  const role = Roles.pick(prng, who.known?.family ?? family ?? Prng.pick(prng, sector.families));
  const companyAge = company ? ageOf(world, company) : null;
  const grade = gradeOf(prng, role, who.known, isHead ? company : null, companyAge);
  const [least, most] = yearsOf[grade.seniority] ?? [1, 10];
  const drawnYears = least + (most - least) * prng() ** 1.3;
  // Founders began with their company, after some years elsewhere.
  const years = grade.isFounder ? Math.max(drawnYears, (companyAge ?? 0) + 2) : drawnYears;
  const now = { company, sector, role, title: grade.title, place: home, years, isFounder: grade.isFounder };
  return { ...who, index, positions: positions(prng, world, now), role, level: grade.level };
}

/** Name and location of a person, without the cost of building the career. */
export function residentOf(world: World, index: number): Pick<Life, 'slug' | 'place' | 'known'> {
  return whoOf(prngOf(world, index, 0), world, index);
}

/** Companies with less staff than this have no former employees in the sample. */
const pastEmployeesMin = 5;

export function pastEmployers(companies: readonly SampleCompany[]): PastEmployers {
  const weighted = (some: readonly SampleCompany[]) =>
    Prng.weighted(some, ({ employees }) => employees ** 0.6);
  const possible = companies.filter(({ employees }) => employees >= pastEmployeesMin);
  const bySector = Map.groupBy(possible, (company) => company.sector);
  return {
    all: weighted(possible),
    bySector: new Map([...bySector].map(([sector, some]) => [sector, weighted(some)])),
  };
}

function whoOf(prng: Prng.Prng, world: World, index: number) {
  const known = world.known.get(index) ?? null;
  const company = world.companies[world.seats.company[index] ?? Seats.free] ?? null;
  const number = world.seats.number[index] ?? 0;
  const post = company ? Staffing.postOf(company, number) : null;
  const home = known ? Places.named(known.city) : (post?.office ?? Places.anywhere(prng));
  const place = known || !Prng.chance(prng, 0.08) ? home : Places.nearby(prng, home);
  const { first, last } = known ?? Names.person(prng, place.country);
  return {
    known,
    company,
    isHead: company !== null && number === 0,
    home,
    place,
    first,
    last,
    slug: known?.slug ?? slugOf(world.seed, index, first, last),
    family: post?.family ?? null,
    hasKnownCountry:
      known !== null || (post?.hasKnownCountry ?? !Prng.chance(prng, Staffing.unknownShare.country)),
    hasKnownDepartment:
      known !== null || (post?.hasKnownDepartment ?? !Prng.chance(prng, Staffing.unknownShare.department)),
  };
}

function gradeOf(
  prng: Prng.Prng,
  role: Roles.Role,
  known: KnownPerson | null,
  headOf: SampleCompany | null,
  companyAge: number | null,
): Grades.Graded & { isFounder: boolean } {
  if (known) {
    const { title, level } = known;
    return { title, level, seniority: '10+', isFounder: title.startsWith('Founder') };
  }
  if (!headOf) return { ...Grades.graded(prng, role), isFounder: false };
  const chief = Grades.chief(prng, headOf.employees, companyAge ?? 0);
  return { ...chief, level: 'C-Team', seniority: '10+' };
}

/** Years since the beginning of the year of foundation. */
function ageOf({ todayMs }: World, { foundedYear }: SampleCompany): number {
  return (todayMs - Date.UTC(foundedYear, 0, 1)) / yearMs;
}

type Now = {
  company: SampleCompany | null;
  sector: Sectors.Sector;
  role: Roles.Role;
  title: string;
  place: Places.Place;
  years: number;
  isFounder: boolean;
};

function positions(prng: Prng.Prng, world: World, now: Now): Position[] {
  const { role, title, place, sector } = now;
  const employer = now.company ? { company: now.company, name: now.company.name } : stranger(prng, place);
  // Some of those without a seat are between two positions.
  let untilMs = now.company || !Prng.chance(prng, 0.4) ? null : ago(world, 0.1 + prng());
  let left = now.years;
  const found: Position[] = [];
  const stay = stayOf(prng, world, now);
  let startMs = month((untilMs ?? world.todayMs) - stay * yearMs);
  found.push({ employer, title, role, place, startMs, endMs: untilMs });
  if (untilMs === null && left > 5 && Prng.chance(prng, 0.08))
    found.push(sideLine(prng, world, sector, stay));
  left -= stay;
  while (left > 0.4 && found.length < positionsMax) {
    untilMs = Prng.chance(prng, 0.3) ? month(startMs - prng() * 0.4 * yearMs) : startMs;
    const years = Math.min(left, 0.6 - Math.log(1 - prng()) * 2.4);
    startMs = month(untilMs - years * yearMs);
    found.push(pastPosition(prng, world, sector, role, { startMs, endMs: untilMs, years: left - years }));
    left -= years;
  }
  return found;
}

/** Years in the current position, at most since the foundation of the company. */
function stayOf(prng: Prng.Prng, world: World, { company, years, isFounder }: Now): number {
  const since = company ? ageOf(world, company) : years;
  if (isFounder) return since - 0.9 * prng();
  return Math.min(years, since, 0.1 - Math.log(1 - prng()) * 2.6);
}

function pastPosition(
  prng: Prng.Prng,
  world: World,
  sector: Sectors.Sector,
  role: Roles.Role,
  { startMs, endMs, years }: { startMs: number; endMs: number; years: number },
): Position {
  const company = Prng.chance(prng, 0.12) ? null : colleague(prng, world, sector, startMs);
  const place = company ? officeOf(prng, company) : Places.anywhere(prng);
  const employer = company ? { company, name: company.name } : stranger(prng, place);
  return { employer, title: Grades.after(prng, role, years).title, role, place, startMs, endMs };
}

function sideLine(prng: Prng.Prng, world: World, sector: Sectors.Sector, stay: number): Position {
  const startMs = month(ago(world, Math.min(stay, 3) * prng()));
  const company = colleague(prng, world, sector, startMs);
  const place = company ? officeOf(prng, company) : Places.anywhere(prng);
  const employer = company ? { company, name: company.name } : stranger(prng, place);
  const role = Roles.pick(prng, Prng.pick(prng, sector.families));
  return { employer, title: Prng.pick(prng, sideTitles), role, place, startMs, endMs: null };
}

/** A company that existed at the time, usually of the same sector. */
function colleague(
  prng: Prng.Prng,
  { pastEmployers: { all, bySector } }: World,
  sector: Sectors.Sector,
  startMs: number,
): SampleCompany | null {
  const year = new Date(startMs).getUTCFullYear();
  for (let draws = 0; draws < 4; draws++) {
    const company = (Prng.chance(prng, 0.65) ? (bySector.get(sector) ?? all) : all)(prng);
    if (company.foundedYear <= year) return company;
  }
  return null;
}

/** An employer that is not in the sample. */
function stranger(prng: Prng.Prng, place: Places.Place): { company: null; name: string } {
  const { tails } = Sectors.anySector(prng);
  return { company: null, name: CompanyNames.candidate(prng, Prng.pick(prng, tails), place.country) };
}

function officeOf(prng: Prng.Prng, company: SampleCompany): Places.Place {
  const office = Prng.chance(prng, 0.55) ? company.offices[0] : Prng.pick(prng, company.offices);
  return office ?? Places.anywhere(prng);
}

/** Slug such as `anna-mueller-4f2a91c0`. The end is unique: a bijection of the index (murmur3's finalizer). */
function slugOf(seed: number, index: number, first: string, last: string): string {
  let mixed = (index ^ seed) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed = (mixed ^ (mixed >>> 16)) >>> 0;
  return `${Names.plain(first)}-${Names.plain(last)}-${mixed.toString(16).padStart(8, '0')}`;
}

function ago(world: World, years: number): number {
  return month(world.todayMs - years * yearMs);
}

/** The first day of the month. */
function month(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
