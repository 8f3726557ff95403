import * as Company from '../entries/company.ts';
import * as Person from '../entries/person.ts';
import * as NetworkUrl from '../filters/network-url.ts';

/** A company in its place: ids follow the order of results. */
export type PlacedCompany = { id: number; slug: string; entry: Company.CompanyEntry };
/** What was met so far, for those who link to it. About 150 bytes a person and 2,000 a company. */
export type Links = {
  companies: readonly PlacedCompany[];
  companyOf(link: string | null): PlacedCompany | null;
  people: Map<string, number>;
};

/** The largest first, then by number. `refuse` hears of those that are there already. */
export async function companies(
  entries: Iterable<Company.CompanyEntry> | AsyncIterable<Company.CompanyEntry>,
  refuse: (entry: Company.CompanyEntry, field: string, reason: string) => void,
): Promise<Links> {
  const bySlug = new Map<string, PlacedCompany>();
  const byNumber = new Map<number, PlacedCompany>();
  for await (const entry of entries) {
    const company = { id: 0, slug: Company.slugOf(entry), entry };
    if (bySlug.has(company.slug)) refuse(entry, 'network_url', 'This company is there already');
    else if (entry.network_id !== null && byNumber.has(entry.network_id))
      refuse(entry, 'network_id', 'Another company has this number');
    else {
      bySlug.set(company.slug, company);
      if (entry.network_id !== null) byNumber.set(entry.network_id, company);
    }
  }
  const all = [...bySlug.values()].sort(inOrder);
  for (const [index, company] of all.entries()) company.id = index + 1;
  // Most links are written as we write them, and need not be read.
  const byUrl = new Map(all.map((company) => [company.entry.network_url, company]));
  return {
    companies: all,
    people: new Map(),
    companyOf(link) {
      if (link === null) return null;
      const company = byUrl.get(link);
      if (company) return company;
      const ref = NetworkUrl.company(link);
      if (ref === null) return null;
      return (ref.kind === 'slug' ? bySlug.get(ref.slug) : byNumber.get(ref.number)) ?? null;
    },
  };
}

function inOrder(one: PlacedCompany, other: PlacedCompany): number {
  const number = (company: PlacedCompany) => company.entry.network_id ?? Number.MAX_SAFE_INTEGER;
  const size = (company: PlacedCompany) => company.entry.employees_on_network ?? -1;
  return size(other) - size(one) || number(one) - number(other) || (one.slug < other.slug ? -1 : 1);
}

/** How many people may have the same number of connections. */
const alikeMax = 2 ** 22;

/**
 * Gives out ids in the order of results, from the most connections to the fewest, without waiting for all: those with
 * the same number have a stretch of ids for themselves.
 */
export function personIds(): (connections: number | null) => number {
  const given = new Uint32Array(Person.connectionsMax + 2);
  return (connections) => {
    const stretch = connections === null ? Person.connectionsMax + 1 : Person.connectionsMax - connections;
    const place = given[stretch] ?? 0;
    if (place >= alikeMax)
      throw new RangeError(`more than ${alikeMax} people with ${connections} connections`);
    given[stretch] = place + 1;
    return stretch * alikeMax + place;
  };
}
