import type { CompanyEntry } from '../entries/company.ts';
import * as Activities from './activities.ts';
import * as Company from './company.ts';
import * as Finance from './finance.ts';
import * as Prng from './prng.ts';
import * as SizeClasses from './size-classes.ts';
import * as Staffing from './staffing.ts';

const customers = [
  'mid-sized manufacturers',
  'public bodies and universities',
  'customers in more than a dozen countries',
  'family businesses',
  'start-ups and large firms alike',
  'partners across the region',
  'households and small shops',
];
const governmentIndustries = ['Government Administration', 'Public Safety'];
/** Fewer employees than this are a nonprofit organization instead of a public office. */
const publicOfficeMin = 11;

/**
 * Generates the entry of a company, the same each time. Some fields of random companies are missing, as in real data. A
 * company of whose people the sample stores only a selection (`storedPeople`) has its own figures by country and department.
 */
export function entryOf(
  seed: number,
  company: Company.SampleCompany,
  thisYear: number,
  storedPeople: number,
): CompanyEntry {
  // Negative streams are those of companies: those of people are positive.
  const prng = Prng.create(seed, -1_000 - company.index);
  const entry = fullEntry(prng, company, thisYear, storedPeople);
  if (company.known) return entry;
  const missing = (probability: number) => Prng.chance(prng, probability);
  return {
    ...entry,
    about: missing(0.05) ? null : entry.about,
    specialties: missing(0.12) ? null : entry.specialties,
    industry: missing(0.05) ? null : entry.industry,
    type: missing(0.05) ? null : entry.type,
    founded_year: missing(0.1) ? null : entry.founded_year,
    hq: missing(0.03) ? null : entry.hq,
    website: missing(0.04) ? null : entry.website,
    is_agency: entry.is_agency ?? (missing(0.3) ? null : false),
    ...(missing(0.15) && { naics_codes: [], sic_codes: [], activities: [] }),
  };
}

function fullEntry(
  prng: Prng.Prng,
  company: Company.SampleCompany,
  thisYear: number,
  storedPeople: number,
): CompanyEntry {
  const { name, slug, employees, foundedYear, industry, sector, known } = company;
  const specialties = Prng.sample(prng, sector.specialties, Prng.between(prng, 3, 5));
  const codes = sector.activities.map(Activities.codesOf);
  const [seat] = company.offices;
  const type = known ? 'Privately Held' : typeOf(prng, company);
  const followers = known
    ? employees * 90 + 1_820
    : Math.floor(employees * (4 + 60 * prng() ** 2)) + Prng.between(prng, 20, 900);
  const entry: CompanyEntry = {
    network_url: Company.networkUrl(company),
    network_id: Company.networkId(company),
    name,
    about: portrait(prng, company, specialties),
    specialties,
    industry,
    type,
    size: null,
    employees_on_network: employees,
    employees_by_country: null,
    employees_by_department: null,
    ...(storedPeople < employees && Staffing.figuresOf(company)),
    followers,
    founded_year: foundedYear,
    hq: seat ? { city: seat.city, state: seat.state, country_code: seat.country } : null,
    domain: Company.domain(company),
    website: `https://www.${Company.domain(company)}`,
    email_domain: company.mail,
    other_domains: !known && Prng.chance(prng, 0.1) ? [`${slug.split('-')[0]}-group.example`] : [],
    is_agency: sector.categories.includes('Staffing Agency') ? true : null,
    ...Finance.draw(prng, { employees, type, founded: foundedYear, thisYear }),
    naics_codes: codes.map((code) => code.naics),
    sic_codes: [...new Set(codes.map((code) => code.sic))],
    activities: [...sector.activities],
    categories: Prng.sample(prng, sector.categories, 2),
  };
  return known ? { ...entry, revenue: employees * 180_000 } : entry;
}

function typeOf(prng: Prng.Prng, { employees, industry, sector }: Company.SampleCompany): string {
  if (sector.categories.includes('Non Profit'))
    return governmentIndustries.includes(industry) && employees >= publicOfficeMin
      ? 'Government Agency'
      : 'Nonprofit';
  return SizeClasses.ownership(prng, employees);
}

function portrait(
  prng: Prng.Prng,
  { name, sector, foundedYear, offices }: Company.SampleCompany,
  [first, second]: readonly string[],
): string {
  const purpose = Prng.pick(prng, sector.purposes);
  const clients = Prng.pick(prng, customers);
  const city = offices[0]?.city;
  switch (Prng.between(prng, 1, 3)) {
    case 1:
      return `${name} ${purpose}. Founded in ${foundedYear} and based in ${city}, it works with ${clients} and is known for ${first} and ${second}.`;
    case 2:
      return `Since ${foundedYear}, ${name} ${purpose}. From ${city} it serves ${clients}; its strengths are ${first} and ${second}.`;
    default:
      return `${name} is a ${city} company that ${purpose}. Its work for ${clients} began in ${foundedYear} with ${first} and has come to include ${second}.`;
  }
}
