import { type CompanyEntry, emailDomainOf } from '../entries/company.ts';
import type { EmailEntry } from '../entries/email.ts';
import type { PhoneEntry } from '../entries/phone.ts';
import * as PersonUrl from '../filters/person-url.ts';
import { type Life, lifeOf, prngOf, residentOf, type World } from './career.ts';
import * as Names from './names.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';

const dayMs = 86_400_000;
/** The share of positions in known companies for which an address is known, of present ones and of others. */
const known = { present: 0.78, past: 0.07 };
/** One address in so many was confirmed too long ago to be answered. */
const staleShare = 0.12;
/** Names recur, and no two people of a company share an address: a bit for each one given out. */
const takenBits = 1 << 27;

const patterns: readonly ((first: string, last: string) => string)[] = [
  (first, last) => `${first}.${last}`,
  (first, last) => `${first}.${last}`,
  (first, last) => `${first.charAt(0)}${last}`,
  (first, last) => `${first.charAt(0)}.${last}`,
  (first) => first,
  (first, last) => `${first}${last.charAt(0)}`,
  (first, last) => `${first}_${last}`,
];

/** The work emails of everyone, in the order of the people. */
export function* emails(world: World): Generator<EmailEntry> {
  const taken = new Uint32Array(takenBits >>> 5);
  for (let index = 0; index < world.seats.length; index++) {
    const life = lifeOf(world, index);
    const prng = prngOf(world, index, 2);
    for (const [at, position] of life.positions.entries()) {
      const company = position.employer.company;
      const isPresent = position.endMs === null;
      const isSure = life.known !== null && at === 0;
      if (!company || !(Prng.chance(prng, isPresent ? known.present : known.past) || isSure)) continue;
      const email = address(life, company.entry, taken);
      if (email === null) continue;
      const ageDays = !isSure && Prng.chance(prng, staleShare) ? 31 + 200 * prng() : 0.1 + 20 * prng();
      yield {
        person_network_url: PersonUrl.personUrl(life.slug),
        email,
        company_network_url: company.entry.network_url,
        job_order: at + 1,
        verified_at: new Date(world.todayMs - Math.floor(ageDays * dayMs)).toISOString(),
      };
    }
  }
}

function address(life: Life, company: CompanyEntry, taken: Uint32Array): string | null {
  const domain = emailDomainOf(company);
  if (domain === null) return null;
  const pattern = patterns[(company.network_id ?? 0) % patterns.length] ?? patterns[0];
  const local = pattern?.(Names.plain(life.first), Names.plain(life.last)) ?? '';
  for (let more = 1; ; more++) {
    const email = `${local}${more === 1 ? '' : more}@${domain}`;
    const bit = hash(email) & (takenBits - 1);
    const [cell, mask] = [bit >>> 5, 1 << (bit & 31)];
    if (((taken[cell] ?? 0) & mask) !== 0) continue;
    taken[cell] = (taken[cell] ?? 0) | mask;
    return email;
  }
}

/** FNV-1a with 32 bits, mixed once more. */
function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** A part of those who live in the United States. Numbers there are fictional (555-01xx), else of no assigned area code. */
export function* phones(world: World): Generator<PhoneEntry> {
  const fictional = new Map<string, number>();
  let unassigned = 0;
  for (let index = 0; index < world.seats.length; index++) {
    const { slug, place, known: fixed } = residentOf(world, index);
    const person_network_url = PersonUrl.personUrl(slug);
    if (fixed?.phone) yield { person_network_url, phone: fixed.phone.number, kind: fixed.phone.kind };
    const prng = prngOf(world, index, 3);
    if (fixed || place.country !== 'US' || !Prng.chance(prng, 0.3)) continue;
    const phone = fictionalNumber(prng, place.city, fictional) ?? unassignedNumber(unassigned++);
    yield { person_network_url, phone, kind: Prng.chance(prng, 0.7) ? 'mobile' : 'direct' };
  }
}

/** The last fifty of the hundred of each area code; those before are left to the known people and to tests. */
function fictionalNumber(prng: Prng.Prng, city: string, given: Map<string, number>): string | null {
  const area = Prng.pick(prng, Places.areaCodes[city] ?? []);
  const next = given.get(area) ?? 150;
  if (next > 199) return null;
  given.set(area, next + 1);
  return `+1${area}5550${next}`;
}

/** Area codes 370 to 379 and 960 to 969 are set aside in North America: numbers there reach nobody. */
function unassignedNumber(index: number): string {
  const area = index % 2 === 0 ? 370 : 960;
  const rest = Math.floor(index / 2);
  const office = 200 + (Math.floor(rest / 10_000) % 800);
  const block = Math.floor(rest / 8_000_000) % 10;
  return `+1${area + block}${office}${String(rest % 10_000).padStart(4, '0')}`;
}
