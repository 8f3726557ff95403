import type { CompanyEntry } from '../entries/company.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as Activities from './activities.ts';
import * as CompanyNames from './company-names.ts';
import * as Finance from './finance.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';
import * as Sectors from './sectors.ts';

/** A made-up company, with what the sample needs beyond what its entry says. */
export type SampleCompany = {
  entry: CompanyEntry;
  slug: string;
  employees: number;
  foundedYear: number;
  /** Where its people work, the seat first. */
  offices: readonly Places.Place[];
  sector: Sectors.Sector;
  /** How much it takes part in hiring, and whether it is one whose postings are fixed in number. */
  hiring: number;
  fixedJobs: number | null;
};

const firstNetworkId = 7_000_001;
/** The share of companies that are called as another one. */
const namesakes = 0.02;
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
  { min: 1, max: 10, weight: 32 },
  { min: 11, max: 50, weight: 30 },
  { min: 51, max: 200, weight: 20 },
  { min: 201, max: 500, weight: 8 },
  { min: 501, max: 1_000, weight: 4 },
  { min: 1_001, max: 5_000, weight: 4 },
  { min: 5_001, max: 10_000, weight: 1 },
  { min: 10_001, max: 60_000, weight: 1 },
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
    mail: 'northwind.example',
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
    mail: null,
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
    mail: null,
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
    mail: null,
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
    mail: null,
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
    mail: null,
    sector: 0,
    industry: 'Software Development',
    city: 'Lisbon',
    offices: ['Porto', 'Berlin', 'Recife'],
    employees: 147,
    founded: 2016,
    jobs: 38,
  },
];

/** `count` companies; the known ones are always among them, and first. */
export function companies(seed: number, count: number, thisYear: number): SampleCompany[] {
  const prng = Prng.create(seed, 1);
  const names = CompanyNames.maker();
  const all = known.map((entry, index) => knownCompany(prng, names, entry, firstNetworkId + index, thisYear));
  while (all.length < count) all.push(anyCompany(prng, names, all, thisYear));
  return all;
}

function knownCompany(
  prng: Prng.Prng,
  names: CompanyNames.NameMaker,
  fixed: (typeof known)[number],
  networkId: number,
  thisYear: number,
): SampleCompany {
  const sector = Sectors.sectors[fixed.sector];
  const slug = fixed.name.toLowerCase().replace(' ', '-');
  if (!sector) throw new RangeError(`no sector ${fixed.sector}`);
  CompanyNames.reserve(names, slug);
  const bare = bareCompany(prng, sector, { name: fixed.name, slug }, Places.named(fixed.city), fixed.founded);
  const finance = Finance.draw(prng, fixed.employees, { founded: fixed.founded, isYoung: false, thisYear });
  return {
    ...bare,
    entry: {
      ...bare.entry,
      ...finance,
      revenue: fixed.employees * 180_000,
      email_domain: fixed.mail,
      other_domains: [],
      network_id: networkId,
      industry: fixed.industry,
      type: 'Privately Held',
      employees_on_network: fixed.employees,
      followers: fixed.employees * 90 + 1_820,
    },
    employees: fixed.employees,
    offices: [fixed.city, ...fixed.offices].map(Places.named),
    fixedJobs: fixed.jobs,
  };
}

/** Some facts are missing here and there, as they are in life. */
function anyCompany(
  prng: Prng.Prng,
  names: CompanyNames.NameMaker,
  before: readonly SampleCompany[],
  thisYear: number,
): SampleCompany {
  const sector = Sectors.anySector(prng);
  const seat = Places.anywhere(prng);
  const founded = thisYear - Math.floor(2 + 70 * prng() ** 3);
  const name = Prng.chance(prng, namesakes)
    ? CompanyNames.namesake(names, Prng.pick(prng, before).entry.name, seat.city)
    : CompanyNames.draw(names, prng, sector.tails, seat.country, seat.city);
  const bare = bareCompany(prng, sector, name, seat, founded);
  const band = anyBand(prng);
  const employees = Prng.between(prng, band.min, band.max);
  const branches = Math.min(6, Math.floor(Math.log10(employees) * 2 * prng()));
  const missing = (probability: number) => Prng.chance(prng, probability);
  const isWorldly = Prng.chance(prng, 0.5);
  const { entry } = bare;
  return {
    ...bare,
    entry: {
      ...entry,
      ...Finance.draw(prng, employees, { founded, isYoung: thisYear - founded < 15, thisYear }),
      network_id: firstNetworkId + before.length,
      about: missing(0.05) ? null : entry.about,
      specialties: missing(0.12) ? null : entry.specialties,
      industry: missing(0.05) ? null : entry.industry,
      type: missing(0.05) ? null : entry.type,
      employees_on_network: employees,
      followers: Math.floor(employees * (4 + 60 * prng() ** 2)) + Prng.between(prng, 20, 900),
      founded_year: missing(0.1) ? null : founded,
      hq: missing(0.03) ? null : entry.hq,
      website: missing(0.04) ? null : entry.website,
      is_agency: entry.is_agency ?? (missing(0.3) ? null : false),
      ...(missing(0.15) && { naics_codes: [], sic_codes: [], activities: [] }),
    },
    employees,
    offices: [
      seat,
      ...Array.from({ length: branches }, () =>
        isWorldly ? Places.anywhere(prng) : Places.nearby(prng, seat),
      ),
    ],
    hiring: Math.sqrt(employees) * (0.2 + prng()) * (missing(0.12) ? 0 : 1),
  };
}

function bareCompany(
  prng: Prng.Prng,
  sector: Sectors.Sector,
  { name, slug }: CompanyNames.Name,
  seat: Places.Place,
  founded: number,
): SampleCompany {
  const specialties = Prng.sample(prng, sector.specialties, Prng.between(prng, 3, 5));
  const codes = sector.activities.map(Activities.codesOf);
  const entry: CompanyEntry = {
    network_url: NetworkUrl.companyUrl({ kind: 'slug', slug }),
    network_id: null,
    name,
    about: portrait(prng, name, Prng.pick(prng, sector.purposes), founded, seat.city, specialties),
    specialties,
    industry: Prng.pick(prng, sector.industries),
    type: sector.categories.includes('Non Profit') ? 'Nonprofit' : types(prng).type,
    size: null,
    employees_on_network: null,
    followers: null,
    founded_year: founded,
    hq: { city: seat.city, state: seat.state, country_code: seat.country },
    domain: `${slug}.example`,
    website: `https://www.${slug}.example`,
    ...domains(prng, slug),
    is_agency: sector.categories.includes('Staffing Agency') ? true : null,
    ...Finance.unknown,
    naics_codes: codes.map((code) => code.naics),
    sic_codes: [...new Set(codes.map((code) => code.sic))],
    activities: [...sector.activities],
    categories: Prng.sample(prng, sector.categories, 2),
  };
  return {
    entry,
    slug,
    employees: 1,
    foundedYear: founded,
    offices: [seat],
    sector,
    hiring: 1,
    fixedJobs: null,
  };
}

/** Mail often lives under another name than the website, and some keep the names they had before. */
function domains(prng: Prng.Prng, slug: string): Pick<CompanyEntry, 'email_domain' | 'other_domains'> {
  const first = slug.split('-')[0] ?? slug;
  const mail = Prng.chance(prng, 0.5) ? `${slug}-mail.example` : `${slug.replaceAll('-', '')}.example`;
  return {
    email_domain: Prng.chance(prng, 0.12) ? mail : null,
    other_domains: Prng.chance(prng, 0.1) ? [`${first}-group.example`] : [],
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
