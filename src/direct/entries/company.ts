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

/** Where a company can be found by another's entry: its address or its number. */
export const companyLink = Field.maybe(
  Field.needed.lineThat((text) => NetworkUrl.company(text) !== null, 'Expected a company network URL'),
);

const hq = Schema.object({ city: Field.line, state: Field.line, country_code: Field.countryCode });

/** A company as the owner of the data brings it. Money is in whole US dollars. */
export const company = Schema.object({
  network_url: networkUrl,
  name: Field.needed.line,
  network_id: Field.maybe(Schema.integer(1, networkIdMax)),
  about: Field.text,
  specialties: Field.maybe(Schema.list(Field.needed.line, Field.itemsMax)),
  industry: Field.choice(Enums.industries),
  type: Field.choice(Enums.companyTypes),
  /** Headcount band; what the headcount says where left out. */
  size: Field.choice(Enums.sizes),
  employees_on_network: Field.maybe(Schema.integer(0, employeesMax)),
  followers: Field.maybe(Schema.integer(0, 1_000_000_000)),
  founded_year: Field.year,
  hq: Field.maybe(hq),
  domain: Field.line,
  website: Field.line,
  /** What stands after the @ of its addresses; the domain where left out. */
  email_domain: Field.line,
  other_domains: Field.lines,
  /** True for a confirmed staffing agency, false for one that is confirmed to be none. */
  is_agency: Field.flag,
  /** A year's. */
  revenue: Field.money,
  naics_codes: Field.lines,
  sic_codes: Field.lines,
  /** What the codes say in words. */
  activities: Field.lines,
  /** Category names that others file it under. */
  categories: Field.lines,
  /** Visits a month. */
  web_traffic: Field.count,
  /** For search ads, a month. */
  ad_spend: Field.money,
  total_funding: Field.money,
  last_funding_amount: Field.money,
  last_funding_year: Field.year,
  last_funding_type: Field.choice(Enums.fundingTypes),
  lead_investors: Field.lines,
});
export type CompanyEntry = Schema.Value<typeof company>;

/** The name in the company's address, which is its natural key. */
export function slugOf(entry: CompanyEntry): string {
  const ref = NetworkUrl.parsed(entry.network_url);
  if (ref.kind !== 'slug') throw new TypeError('a company entry is addressed by its slug');
  return ref.slug;
}

const bandTops = Enums.sizes.map((size) => Number(size.split('-')[1] ?? Infinity));

/** The headcount band; null where not even the headcount is known. */
export function sizeOf(entry: CompanyEntry): string | null {
  const employees = entry.employees_on_network;
  if (entry.size !== null || employees === null || employees === 0) return entry.size;
  return Enums.sizes[bandTops.findIndex((top) => employees <= top)] ?? null;
}

/** What stands after the @ of its addresses. */
export function emailDomainOf(entry: CompanyEntry): string | null {
  return domainOf(entry.email_domain ?? entry.domain);
}

/** Every domain that leads to the company, its main one first; the place in the list is how close they are. */
export function domainsOf(entry: CompanyEntry): string[] {
  const all = [entry.domain, entry.website, entry.email_domain, ...entry.other_domains].map(domainOf);
  return [...new Set(all)].filter((domain) => domain !== null);
}

/** `https://www.Example.com/about` as `example.com`; null where it names no host. */
export function domainOf(address: string | null): string | null {
  const host = address
    ?.trim()
    .toLowerCase()
    .match(/^(?:[a-z]+:\/\/)?(?:[^@/?#]*@)?([^:/?#\s]+)/)?.[1];
  const domain = host?.replace(/^www\./, '').replace(/\.$/, '');
  return domain?.includes('.') ? domain : null;
}
