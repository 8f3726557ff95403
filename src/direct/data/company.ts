import * as CompanyNames from './company-names.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';
import * as Sectors from './sectors.ts';

/** A made-up company, with what the sample needs beyond what an answer shows. */
export type SampleCompany = {
  id: number;
  slug: string;
  networkId: number;
  name: string;
  about: string | null;
  specialties: string[] | null;
  industry: string | null;
  type: string | null;
  size: string | null;
  employees: number;
  followers: number;
  foundedYear: number | null;
  hq: { city: string; state: string; countryCode: string } | null;
  domain: string | null;
  website: string | null;
  isAgency: boolean | null;
  activities: readonly string[];
  categories: readonly string[];
  /** Where its people work, the seat first. */
  offices: readonly Places.Place[];
  sector: Sectors.Sector;
  /** How much it takes part in hiring, and whether it is one whose postings are fixed in number. */
  hiring: number;
  fixedJobs: number | null;
};

const firstNetworkId = 7_000_001;
const types = Prng.weighted(
  [
    { type: 'Privately Held', weight: 70 },
    { type: 'Public Company', weight: 10 },
    { type: 'Partnership', weight: 7 },
    { type: 'Self-Owned', weight: 3 },
    { type: 'Sole Proprietorship', weight: 2 },
    { type: 'Self-Employed', weight: 1 },
  ],
  (entry) => entry.weight,
);
const bands = [
  { size: '1-10', min: 1, max: 10, weight: 32 },
  { size: '11-50', min: 11, max: 50, weight: 30 },
  { size: '51-200', min: 51, max: 200, weight: 20 },
  { size: '201-500', min: 201, max: 500, weight: 8 },
  { size: '501-1000', min: 501, max: 1_000, weight: 4 },
  { size: '1001-5000', min: 1_001, max: 5_000, weight: 4 },
  { size: '5001-10000', min: 5_001, max: 10_000, weight: 1 },
  { size: '10001+', min: 10_001, max: 60_000, weight: 1 },
];
const anyBand = Prng.weighted(bands, (band) => band.weight);
const customers = [
  'mid-sized manufacturers',
  'public bodies and universities',
  'customers in more than a dozen countries',
  'family businesses',
  'start-ups and large firms alike',
  'partners across the region',
  'households and small shops',
];

/** Companies that examples can count on: their addresses never change. */
const known = [
  {
    name: 'Northwind Analytics',
    sector: 1,
    industry: 'Data Infrastructure and Analytics',
    city: 'Berlin',
    offices: ['Lisbon', 'São Paulo', 'London', 'New York', 'Bengaluru', 'Kraków'],
    employees: 412,
    founded: 2011,
    jobs: 84,
  },
  {
    name: 'Bluefin Logistics',
    sector: 12,
    industry: 'Freight and Package Transportation',
    city: 'São Paulo',
    offices: ['Curitiba', 'Buenos Aires', 'Rotterdam', 'Miami'],
    employees: 1_860,
    founded: 1994,
    jobs: 72,
  },
  {
    name: 'Halden Energy',
    sector: 10,
    industry: 'Wind Electric Power Generation',
    city: 'Oslo',
    offices: ['Bergen', 'Hamburg', 'Edinburgh'],
    employees: 940,
    founded: 2003,
    jobs: 41,
  },
  {
    name: 'Tessera Health',
    sector: 5,
    industry: 'Hospitals and Health Care',
    city: 'Boston',
    offices: ['Chicago', 'Toronto'],
    employees: 5_230,
    founded: 1987,
    jobs: 96,
  },
  {
    name: 'Larkspur Staffing',
    sector: 19,
    industry: 'Staffing and Recruiting',
    city: 'London',
    offices: ['Manchester', 'Dublin', 'Paris', 'Warsaw'],
    employees: 268,
    founded: 2006,
    jobs: 65,
  },
  {
    name: 'Quillon Software',
    sector: 0,
    industry: 'Software Development',
    city: 'Lisbon',
    offices: ['Porto', 'Berlin', 'Recife'],
    employees: 147,
    founded: 2016,
    jobs: 38,
  },
];

/** `count` companies, the largest first; the known ones are always among them. */
export function companies(seed: number, count: number, thisYear: number): SampleCompany[] {
  const prng = Prng.create(seed, 1);
  const names = CompanyNames.maker();
  const fixed = known.map((entry) => knownCompany(prng, names, entry));
  const others = Array.from({ length: Math.max(0, count - fixed.length) }, () =>
    anyCompany(prng, names, thisYear),
  );
  const all = [...fixed, ...others].map((company, index) => ({
    ...company,
    networkId: firstNetworkId + index,
  }));
  all.sort((a, b) => b.employees - a.employees || a.networkId - b.networkId);
  return all.map((company, index) => ({ ...company, id: index + 1 }));
}

function knownCompany(
  prng: Prng.Prng,
  names: CompanyNames.NameMaker,
  entry: (typeof known)[number],
): SampleCompany {
  const sector = Sectors.sectors[entry.sector];
  const slug = entry.name.toLowerCase().replace(' ', '-');
  if (!sector) throw new RangeError(`no sector ${entry.sector}`);
  CompanyNames.reserve(names, slug);
  return {
    ...bare(prng, sector, { name: entry.name, slug }, Places.named(entry.city), entry.founded),
    industry: entry.industry,
    type: 'Privately Held',
    size: bands.find((band) => entry.employees <= band.max)?.size ?? null,
    employees: entry.employees,
    followers: entry.employees * 90 + 1_820,
    offices: [entry.city, ...entry.offices].map(Places.named),
    fixedJobs: entry.jobs,
  };
}

/** Some facts are missing here and there, as they are in life. */
function anyCompany(prng: Prng.Prng, names: CompanyNames.NameMaker, thisYear: number): SampleCompany {
  const sector = Sectors.anySector(prng);
  const seat = Places.anywhere(prng);
  const age = Math.floor(2 + 70 * prng() ** 3);
  const name = CompanyNames.draw(names, prng, sector.tails, seat.country, seat.city);
  const whole = bare(prng, sector, name, seat, thisYear - age);
  const band = anyBand(prng);
  const employees = Prng.between(prng, band.min, band.max);
  const branches = Math.min(6, Math.floor(Math.log10(employees) * 2 * prng()));
  const missing = (probability: number) => Prng.chance(prng, probability);
  const isWorldly = Prng.chance(prng, 0.5);
  return {
    ...whole,
    about: missing(0.05) ? null : whole.about,
    specialties: missing(0.12) ? null : whole.specialties,
    industry: missing(0.05) ? null : whole.industry,
    type: missing(0.05) ? null : whole.type,
    size: missing(0.02) ? null : band.size,
    employees,
    followers: Math.floor(employees * (4 + 60 * prng() ** 2)) + Prng.between(prng, 20, 900),
    foundedYear: missing(0.1) ? null : whole.foundedYear,
    hq: missing(0.03) ? null : whole.hq,
    website: missing(0.04) ? null : whole.website,
    isAgency: whole.isAgency ?? (missing(0.3) ? null : false),
    offices: [
      seat,
      ...Array.from({ length: branches }, () =>
        isWorldly ? Places.anywhere(prng) : Places.nearby(prng, seat),
      ),
    ],
    hiring: Math.sqrt(employees) * (0.2 + prng()) * (missing(0.12) ? 0 : 1),
  };
}

function bare(
  prng: Prng.Prng,
  sector: Sectors.Sector,
  { name, slug }: { name: string; slug: string },
  seat: Places.Place,
  foundedYear: number,
): SampleCompany {
  const specialties = Prng.sample(prng, sector.specialties, Prng.between(prng, 3, 5));
  const isAgency = sector.categories.includes('Staffing Agency') ? true : null;
  return {
    id: 0,
    slug,
    networkId: 0,
    name,
    about: portrait(prng, name, Prng.pick(prng, sector.purposes), foundedYear, seat.city, specialties),
    specialties,
    industry: Prng.pick(prng, sector.industries),
    type: sector.categories.includes('Non Profit') ? 'Nonprofit' : types(prng).type,
    size: null,
    employees: 1,
    followers: 0,
    foundedYear,
    hq: { city: seat.city, state: seat.state, countryCode: seat.country },
    domain: `${slug}.example`,
    website: `https://www.${slug}.example`,
    isAgency,
    activities: sector.activities,
    categories: Prng.sample(prng, sector.categories, 2),
    offices: [seat],
    sector,
    hiring: 1,
    fixedJobs: null,
  };
}

function portrait(
  prng: Prng.Prng,
  name: string,
  purpose: string,
  founded: number,
  city: string,
  [first, second]: readonly string[],
): string {
  const clients = Prng.pick(prng, customers);
  switch (Prng.between(prng, 1, 3)) {
    case 1:
      return `${name} ${purpose}. Founded in ${founded} and based in ${city}, it works with ${clients} and is known for ${first} and ${second}.`;
    case 2:
      return `Since ${founded}, ${name} ${purpose}. From ${city} it serves ${clients}; its strengths are ${first} and ${second}.`;
    default:
      return `${name} is a ${city} company that ${purpose}. Its work for ${clients} began in ${founded} with ${first} and has come to include ${second}.`;
  }
}
