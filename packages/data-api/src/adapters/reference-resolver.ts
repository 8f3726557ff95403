import * as Company from '../entries/company.ts';
import * as Identity from '../entries/identity.ts';
import * as Person from '../entries/person.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as OwnKey from '../filters/own-key.ts';

/** A company with its id. Ids follow the order of results. */
export type PlacedCompany = { id: number; slug: string; entry: Company.CompanyEntry };
/** The companies and people loaded so far, to resolve references to them. About 150 bytes per person, 2,000 per company. */
export type References = {
  companies: readonly PlacedCompany[];
  companyOf(link: string | null): PlacedCompany | null;
  people: Map<string, number>;
};

type Companies = Iterable<Company.CompanyEntry> | AsyncIterable<Company.CompanyEntry>;
/** Companies found in rows of people. They add to the others; `isNewer` says whose fields win. */
export type FoundCompanies = { entries: Companies; isNewer: boolean };

/** Reads all companies and assigns ids: by employees, descending, then by network number. Duplicates are refused. */
export async function resolveCompanies(
  entries: Companies,
  refuse: (entry: Company.CompanyEntry, field: string, reason: string) => void,
  found: FoundCompanies | null = null,
): Promise<References> {
  const bySlug = new Map<string, PlacedCompany>();
  const byNumber = new Map<number, PlacedCompany>();
  for await (const entry of entries) {
    const company = { id: 0, slug: Company.slugOf(entry), entry };
    if (bySlug.has(company.slug))
      refuse(entry, 'network_url', `Duplicate company: an earlier row has the same ${sameAs(company.slug)}`);
    else if (entry.network_id !== null && byNumber.has(entry.network_id))
      refuse(entry, 'network_id', 'Duplicate company: an earlier row has the same network_id');
    else {
      bySlug.set(company.slug, company);
      if (entry.network_id !== null) byNumber.set(entry.network_id, company);
    }
  }
  if (found !== null) await addFound(bySlug, found);
  const all = [...bySlug.values()].sort(inOrder);
  for (const [index, company] of all.entries()) company.id = index + 1;
  // Most links are in canonical form already and need no parsing.
  const byUrl = new Map(all.map((company) => [company.entry.network_url, company]));
  let aliases: OwnKeyAliases | null = null;
  return {
    companies: all,
    people: new Map(),
    companyOf(link) {
      if (link === null) return null;
      const company = byUrl.get(link);
      if (company) return company;
      const ref = NetworkUrl.company(link);
      if (ref === null) return null;
      if (ref.kind === 'number') return byNumber.get(ref.number) ?? null;
      const known = bySlug.get(ref.slug);
      if (known || !OwnKey.isOwn(ref.slug)) return known ?? null;
      aliases ??= new OwnKeyAliases(all);
      return aliases.get(ref.slug);
    },
  };
}

/** Columns that two entries with the same slug have in common, for messages. */
export function sameAs(slug: string): string {
  return OwnKey.isOwn(slug) ? 'identifying columns (docs/data-api.md)' : 'network_url';
}

/** Adds the companies found in rows of people, or their fields if the company is known by URL, domain or name. */
async function addFound(
  bySlug: Map<string, PlacedCompany>,
  { entries, isNewer }: FoundCompanies,
): Promise<void> {
  const aliases = new OwnKeyAliases(bySlug.values());
  const seen = new Set<string>();
  for await (const entry of entries) {
    const slug = Company.slugOf(entry);
    const known = bySlug.get(slug) ?? (OwnKey.isOwn(slug) ? aliases.of(entry, slug) : null);
    if (!known) {
      const company = { id: 0, slug, entry };
      bySlug.set(slug, company);
      aliases.add(company);
      seen.add(slug);
      continue;
    }
    // The first row of a company updates existing fields. The others only fill empty ones.
    const [base, over] = isNewer && !seen.has(known.slug) ? [known.entry, entry] : [entry, known.entry];
    const { network_url } = known.entry;
    known.entry = { ...base, ...withoutUnknown(over), network_url };
    aliases.add(known);
    seen.add(known.slug);
  }
}

function withoutUnknown(entry: Company.CompanyEntry): Partial<Company.CompanyEntry> {
  const known = Object.entries(entry).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(known);
}

/** Companies by the keys that rows without a network address derive from their domain or name. */
class OwnKeyAliases {
  readonly #byKey = new Map<string, PlacedCompany>();
  /** Keys of names that several companies have. They mean none of them. */
  readonly #ambiguous = new Set<string>();

  constructor(companies: Iterable<PlacedCompany>) {
    for (const company of companies) this.add(company);
  }

  get(key: string): PlacedCompany | null {
    return this.#ambiguous.has(key) ? null : (this.#byKey.get(key) ?? null);
  }

  /** The company with the key of `entry`; otherwise the one with its name, if that has no domain yet. */
  of(entry: Company.CompanyEntry, key: string): PlacedCompany | null {
    const found = this.get(key);
    const named = found ?? this.get(Identity.companyKey({ name: entry.name }) ?? '');
    return found ?? (named && Company.domainsOf(named.entry).length === 0 ? named : null);
  }

  add(company: PlacedCompany): void {
    for (const domain of Company.domainsOf(company.entry)) {
      const key = Identity.companyKey({ domain });
      if (key !== null && !this.#byKey.has(key)) this.#byKey.set(key, company);
    }
    const key = Identity.companyKey({ name: company.entry.name });
    if (key === null) return;
    const other = this.#byKey.get(key);
    if (other && other !== company) this.#ambiguous.add(key);
    else this.#byKey.set(key, company);
  }
}

function inOrder(one: PlacedCompany, other: PlacedCompany): number {
  const number = (company: PlacedCompany) => company.entry.network_id ?? Number.MAX_SAFE_INTEGER;
  const size = (company: PlacedCompany) => company.entry.employees_on_network ?? -1;
  return size(other) - size(one) || number(one) - number(other) || (one.slug < other.slug ? -1 : 1);
}

/** Maximum number of people with the same number of connections. */
const idsPerRangeMax = 2 ** 22;

/**
 * Assigns ids in the order of results (connections, descending) without reading all people first: each number of
 * connections has its own range of ids.
 */
export function personIds(): (connections: number | null) => number {
  const given = new Uint32Array(Person.connectionsMax + 2);
  return (connections) => {
    const range = connections === null ? Person.connectionsMax + 1 : Person.connectionsMax - connections;
    const place = given[range] ?? 0;
    if (place >= idsPerRangeMax)
      throw new RangeError(`more than ${idsPerRangeMax} people with ${connections} connections`);
    given[range] = place + 1;
    return range * idsPerRangeMax + place;
  };
}
