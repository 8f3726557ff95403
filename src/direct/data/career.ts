import type { SampleCompany } from './company.ts';
import * as CompanyNames from './company-names.ts';
import * as Grades from './grades.ts';
import { type KnownPerson, knownPeople } from './known-people.ts';
import * as Names from './names.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';
import * as Roles from './roles.ts';
import * as Seats from './seats.ts';
import * as Sectors from './sectors.ts';

/** What everyone lives in. */
export type World = {
  seed: number;
  todayMs: number;
  companies: readonly SampleCompany[];
  bySector: ReadonlyMap<Sectors.Sector, readonly SampleCompany[]>;
  seats: Seats.Seats;
};
/** A made-up person's life in short; profile.ts tells it at length, and contacts.ts how to reach them. */
export type Life = {
  index: number;
  slug: string;
  first: string;
  last: string;
  place: Places.Place;
  /** In the order of the profile: those held now first, then back in time. */
  positions: readonly Position[];
  role: Roles.Role;
  level: string | null;
  known: KnownPerson | null;
};
export type Position = {
  employer: { company: SampleCompany; name: string } | { company: null; name: string };
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

/** Independent numbers for one person and one `purpose` from 0 to 3. */
export function prngOf(world: World, index: number, purpose: number): Prng.Prng {
  return Prng.create(world.seed, 1_000 + 4 * index + purpose);
}

export function lifeOf(world: World, index: number): Life {
  const prng = prngOf(world, index, 0);
  const { company, isHead, home, ...who } = whoOf(prng, world, index);
  const sector = company?.sector ?? Sectors.anySector(prng);
  const role = Roles.of(prng, who.known?.family ?? Prng.pick(prng, sector.families));
  const grade = gradeOf(prng, role, who.known, isHead);
  const [least, most] = yearsOf[grade.seniority] ?? [1, 10];
  const years = least + (most - least) * prng() ** 1.3;
  return {
    ...who,
    index,
    positions: positions(prng, world, { company, sector, role, title: grade.title, place: home, years }),
    role,
    level: grade.level,
  };
}

/** A life without what has been done in it, for those who need no more. */
export function residentOf(world: World, index: number): Pick<Life, 'slug' | 'place' | 'known'> {
  return whoOf(prngOf(world, index, 0), world, index);
}

function whoOf(prng: Prng.Prng, world: World, index: number) {
  const known = knownPeople[index] ?? null;
  const seat = world.seats[index] ?? Seats.free;
  const company = seat === Seats.free ? null : (world.companies[seat < 0 ? -seat - 1 : seat] ?? null);
  const home = known ? Places.named(known.city) : company ? officeOf(prng, company) : Places.anywhere(prng);
  const place = known || !Prng.chance(prng, 0.08) ? home : Places.nearby(prng, home);
  const { first, last } = known ?? Names.person(prng, place.country);
  const slug = known?.slug ?? slugOf(world.seed, index, first, last);
  return { known, company, isHead: seat < 0, home, place, first, last, slug };
}

function gradeOf(prng: Prng.Prng, role: Roles.Role, known: KnownPerson | null, isHead: boolean) {
  if (known) return { title: known.title, level: known.level, seniority: '10+' };
  if (isHead) return { ...Grades.chief(prng), level: 'C-Team', seniority: '10+' };
  return Grades.graded(prng, role);
}

type Now = {
  company: SampleCompany | null;
  sector: Sectors.Sector;
  role: Roles.Role;
  title: string;
  place: Places.Place;
  years: number;
};

function positions(prng: Prng.Prng, world: World, now: Now): Position[] {
  const { role, title, place, sector } = now;
  const employer = now.company
    ? { company: now.company, name: now.company.entry.name }
    : stranger(prng, place);
  // Some of those without a seat are between two positions.
  let untilMs = now.company || !Prng.chance(prng, 0.4) ? null : ago(world, 0.1 + prng());
  let left = now.years;
  const found: Position[] = [];
  const stay = Math.min(left, 0.1 - Math.log(1 - prng()) * 2.6);
  let startMs = month((untilMs ?? world.todayMs) - stay * yearMs);
  found.push({ employer, title, role, place, startMs, endMs: untilMs });
  if (left > 5 && Prng.chance(prng, 0.08)) found.push(sideLine(prng, world, sector, stay));
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

function pastPosition(
  prng: Prng.Prng,
  world: World,
  sector: Sectors.Sector,
  role: Roles.Role,
  { startMs, endMs, years }: { startMs: number; endMs: number; years: number },
): Position {
  const company = Prng.chance(prng, 0.12) ? null : colleague(prng, world, sector, startMs);
  const place = company ? officeOf(prng, company) : Places.anywhere(prng);
  const employer = company ? { company, name: company.entry.name } : stranger(prng, place);
  return { employer, title: Grades.after(prng, role, years).title, role, place, startMs, endMs };
}

function sideLine(prng: Prng.Prng, world: World, sector: Sectors.Sector, stay: number): Position {
  const startMs = month(ago(world, Math.min(stay, 3) * prng()));
  const company = colleague(prng, world, sector, startMs);
  const place = company ? officeOf(prng, company) : Places.anywhere(prng);
  const employer = company ? { company, name: company.entry.name } : stranger(prng, place);
  const role = Roles.of(prng, Prng.pick(prng, sector.families));
  return { employer, title: Prng.pick(prng, sideTitles), role, place, startMs, endMs: null };
}

/** A company that was there at the time, mostly of the same sector. */
function colleague(
  prng: Prng.Prng,
  { companies, bySector }: World,
  sector: Sectors.Sector,
  startMs: number,
): SampleCompany | null {
  const year = new Date(startMs).getUTCFullYear();
  for (let draws = 0; draws < 4; draws++) {
    const company = Prng.pick(
      prng,
      Prng.chance(prng, 0.65) ? (bySector.get(sector) ?? companies) : companies,
    );
    if (company.foundedYear <= year) return company;
  }
  return null;
}

/** An employer of whom nothing is known but the name. */
function stranger(prng: Prng.Prng, place: Places.Place): { company: null; name: string } {
  const { tails } = Sectors.anySector(prng);
  return { company: null, name: CompanyNames.candidate(prng, Prng.pick(prng, tails), place.country) };
}

function officeOf(prng: Prng.Prng, company: SampleCompany): Places.Place {
  const office = Prng.chance(prng, 0.55) ? company.offices[0] : Prng.pick(prng, company.offices);
  return office ?? Places.anywhere(prng);
}

/** `anna-mueller-4f2a91c0`: the end is another one for each person (a bijection of the index, murmur3's finalizer). */
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
