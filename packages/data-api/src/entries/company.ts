import * as Enums from '../filters/enums.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as Schema from '../schema/schema.ts';
import * as Field from './field.ts';

const employeesMax = 100_000_000;
const networkIdMax = 999_999_999_999_999;

const networkUrl = Field.needed.lineThat(
  (text) => NetworkUrl.company(text)?.kind === 'slug',
  `Expected ${NetworkUrl.origin}/company/<slug>`,
);

/** Matches most URLs: those in canonical form, without anything to decode. */
const plainUrl = new RegExp(`^${NetworkUrl.companyUrl({ kind: 'slug', slug: '' })}[a-z0-9][a-z0-9-]{0,99}$`);

/** Reference to a company in other entries: its URL, by slug or number. */
export const companyLink = Field.maybe(
  Field.needed.lineThat(
    (text) => plainUrl.test(text) || NetworkUrl.company(text) !== null,
    'Expected a company network URL',
  ),
);

const headcount = Schema.integer(0, employeesMax);
const hq = Schema.object({ city: Field.line, state: Field.line, country_code: Field.countryCode });

/** A company as imported. Amounts are in whole US dollars. */
export const company = Schema.object({
  network_url: networkUrl,
  name: Field.needed.line,
  network_id: Field.maybe(Schema.integer(1, networkIdMax)),
  about: Field.text,
  specialties: Field.maybe(Schema.list(Field.needed.line, Field.itemsMax)),
  industry: Field.choice(Enums.industries),
  type: Field.choice(Enums.companyTypes),
  /** Headcount band. If left out, it follows from `employees_on_network`. */
  size: Field.choice(Enums.sizes),
  employees_on_network: Field.maybe(Schema.integer(0, employeesMax)),
  /** The company's own figures. Employees whose country or department is not known are counted under null. */
  employees_by_country: Field.maybe(
    Schema.list(Schema.object({ country_code: Field.countryCode, count: headcount }), Field.itemsMax),
  ),
  employees_by_department: Field.maybe(
    Schema.list(
      Schema.object({ department: Field.choice(Enums.jobFunctions), count: headcount }),
      Field.itemsMax,
    ),
  ),
  followers: Field.maybe(Schema.integer(0, 1_000_000_000)),
  founded_year: Field.year,
  hq: Field.maybe(hq),
  domain: Field.line,
  website: Field.line,
  /** Domain of its email addresses. If left out, `domain`. */
  email_domain: Field.line,
  other_domains: Field.lines,
  /** True for confirmed staffing agencies, false for companies confirmed not to be one. */
  is_agency: Field.flag,
  /** Per year. */
  revenue: Field.money,
  naics_codes: Field.lines,
  sic_codes: Field.lines,
  /** Names of the industry codes. */
  activities: Field.lines,
  /** Categories assigned by third parties. */
  categories: Field.lines,
  /** Visits per month. */
  web_traffic: Field.count,
  /** For search ads, per month. */
  ad_spend: Field.money,
  total_funding: Field.money,
  last_funding_amount: Field.money,
  last_funding_year: Field.year,
  last_funding_type: Field.choice(Enums.fundingTypes),
  lead_investors: Field.lines,
});
export type CompanyEntry = Schema.Value<typeof company>;

/** Slug of the company's URL, which is its natural key. */
export function slugOf(entry: CompanyEntry): string {
  const ref = NetworkUrl.parsed(entry.network_url);
  if (ref.kind !== 'slug') throw new TypeError('a company entry is addressed by its slug');
  return ref.slug;
}

const bandTops = Enums.sizes.map((size) => Number(size.split('-')[1] ?? Infinity));

/** Headcount band; null if it and the headcount are unknown. */
export function sizeOf(entry: CompanyEntry): string | null {
  const employees = entry.employees_on_network;
  if (entry.size !== null || employees === null || employees === 0) return entry.size;
  return Enums.sizes[bandTops.findIndex((top) => employees <= top)] ?? null;
}

/** Domain of the company's email addresses. */
export function emailDomainOf(entry: CompanyEntry): string | null {
  return domainOf(entry.email_domain ?? entry.domain);
}

/** All domains of the company, ranked: the main one first. */
export function domainsOf(entry: CompanyEntry): string[] {
  const all = [entry.domain, entry.website, entry.email_domain, ...entry.other_domains].map(domainOf);
  return [...new Set(all)].filter((domain) => domain !== null);
}

/** Converts `https://www.Example.com/about` to `example.com`; null if there is no host name. */
export function domainOf(address: string | null): string | null {
  const host = address
    ?.trim()
    .toLowerCase()
    .match(/^(?:[a-z]+:\/\/)?(?:[^@/?#]*@)?([^:/?#\s]+)/)?.[1];
  const domain = host?.replace(/^www\./, '').replace(/\.$/, '');
  return domain?.includes('.') ? domain : null;
}
