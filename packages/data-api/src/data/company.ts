import * as NetworkUrl from '../filters/network-url.ts';
import * as CompanyNames from './company-names.ts';
import { type KnownCompany, knownCompanies } from './known-companies.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';
import * as Sectors from './sectors.ts';
import * as SizeClasses from './size-classes.ts';

/**
 * A fictional company: the facts that the rest of the sample depends on. All companies of a sample are in memory, about 500
 * bytes each; their entries are generated when they are read (company-entry.ts).
 */
export type SampleCompany = {
  index: number;
  slug: string;
  name: string;
  employees: number;
  foundedYear: number;
  /** Locations of its people, the headquarters first. */
  offices: readonly Places.Place[];
  sector: Sectors.Sector;
  industry: string;
  /** Domain of its emails if it differs from that of its website. */
  mail: string | null;
  /** Relative number of its postings, unless `known` gives the number. */
  hiring: number;
  known: KnownCompany | null;
};

/** Share of companies with the same name as another one. */
const namesakes = 0.02;
const firstNetworkId = 7_000_001;

/** Creates `count` companies. The known ones are always included, and first. */
export function companies(seed: number, count: number, thisYear: number): SampleCompany[] {
  const prng = Prng.create(seed, 1);
  const names = CompanyNames.maker();
  const all = knownCompanies.map((known, index) => knownCompany(names, known, index));
  while (all.length < count) all.push(anyCompany(prng, names, all, thisYear));
  return all;
}

export function networkUrl({ slug }: SampleCompany): string {
  return NetworkUrl.companyUrl({ kind: 'slug', slug });
}

export function networkId({ index }: SampleCompany): number {
  return firstNetworkId + index;
}

/** Domain of its website. */
export function domain({ slug }: SampleCompany): string {
  return `${slug}.example`;
}

function knownCompany(names: CompanyNames.NameMaker, known: KnownCompany, index: number): SampleCompany {
  const { name, mail, employees, industry } = known;
  const sector = Sectors.sectors[known.sector];
  const slug = name.toLowerCase().replace(' ', '-');
  if (!sector) throw new RangeError(`no sector ${known.sector}`);
  CompanyNames.reserve(names, slug);
  const offices = [known.city, ...known.offices].map(Places.named);
  return {
    index,
    slug,
    name,
    employees,
    foundedYear: known.founded,
    offices,
    sector,
    industry,
    mail,
    hiring: 0,
    known,
  };
}

function anyCompany(
  prng: Prng.Prng,
  names: CompanyNames.NameMaker,
  before: readonly SampleCompany[],
  thisYear: number,
): SampleCompany {
  const sector = Sectors.anySector(prng);
  const seat = Places.anywhere(prng);
  const { name, slug } = Prng.chance(prng, namesakes)
    ? CompanyNames.namesake(names, Prng.pick(prng, before).name, seat.city)
    : CompanyNames.draw(names, prng, sector.tails, seat.country, seat.city);
  const employees = SizeClasses.employees(prng);
  const foundedYear = thisYear - SizeClasses.age(prng, employees);
  const branches = Math.min(6, Math.floor(Math.log10(employees) * 2 * prng()));
  const isWorldly = Prng.chance(prng, 0.5);
  const branch = () => (isWorldly ? Places.anywhere(prng) : Places.nearby(prng, seat));
  return {
    index: before.length,
    slug,
    name,
    employees,
    foundedYear,
    offices: [seat, ...Array.from({ length: branches }, branch)],
    sector,
    industry: Prng.pick(prng, sector.industries),
    mail: Prng.chance(prng, 0.12) ? mailDomain(prng, slug) : null,
    hiring: employees === 1 || Prng.chance(prng, 0.12) ? 0 : Math.sqrt(employees) * (0.2 + prng()),
    known: null,
  };
}

function mailDomain(prng: Prng.Prng, slug: string): string {
  return Prng.chance(prng, 0.5) ? `${slug}-mail.example` : `${slug.replaceAll('-', '')}.example`;
}
