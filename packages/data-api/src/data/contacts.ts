import type { EmailEntry } from '../entries/email.ts';
import type { PhoneEntry } from '../entries/phone.ts';
import * as PersonUrl from '../filters/person-url.ts';
import { type Life, lifeOf, prngOf, residentOf, type World } from './career.ts';
import * as Company from './company.ts';
import distributions from './distributions.json' with { type: 'json' };
import * as Names from './names.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';

const dayMs = 86_400_000;
/** Share of positions with a known email address, for current and past ones. */
const known = { present: 0.78, past: 0.07 };
/** Share of addresses whose last confirmation is too old for responses. */
const staleShare = 0.12;
/** Size of the bitmap of assigned addresses, which keeps people with the same name from sharing one. */
const takenBits = 1 << 27;

const phoneKinds = Prng.byWeight(distributions.phone_kinds);

const patterns: readonly ((first: string, last: string) => string)[] = [
  (first, last) => `${first}.${last}`,
  (first, last) => `${first}.${last}`,
  (first, last) => `${first.charAt(0)}${last}`,
  (first, last) => `${first.charAt(0)}.${last}`,
  (first) => first,
  (first, last) => `${first}${last.charAt(0)}`,
  (first, last) => `${first}_${last}`,
];

/** Generates the work emails, in the order of the people. */
export function* emails(world: World): Generator<EmailEntry> {
  const taken = new Uint32Array(takenBits >>> 5);
  for (let index = 0; index < world.seats.company.length; index++) {
    const life = lifeOf(world, index);
    const prng = prngOf(world, index, 2);
    for (const [at, position] of life.positions.entries()) {
      const company = position.employer.company;
      const isPresent = position.endMs === null;
      const isSure = life.known !== null && at === 0;
      if (!company || !(Prng.chance(prng, isPresent ? known.present : known.past) || isSure)) continue;
      const email = address(life, company, taken);
      const ageDays = !isSure && Prng.chance(prng, staleShare) ? 31 + 200 * prng() : 0.1 + 20 * prng();
      yield {
        person_network_url: PersonUrl.personUrl(life.slug),
        email,
        company_network_url: Company.networkUrl(company),
        job_order: at + 1,
        verified_at: new Date(world.todayMs - Math.floor(ageDays * dayMs)).toISOString(),
      };
    }
  }
}

function address(life: Life, company: Company.SampleCompany, taken: Uint32Array): string {
  const domain = company.mail ?? Company.domain(company);
  const pattern = patterns[Company.networkId(company) % patterns.length] ?? patterns[0];
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

/** 32-bit FNV-1a with an additional mixing step. */
function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/**
 * Generates numbers for some of the people in the United States: fictional ones (555-01xx), or with unassigned area codes.
 * A quarter of them have both a mobile and a direct number.
 */
export function* phones(world: World): Generator<PhoneEntry> {
  const fictional = new Map<string, number>();
  let unassigned = 0;
  for (let index = 0; index < world.seats.company.length; index++) {
    const { slug, place, known: fixed } = residentOf(world, index);
    const person_network_url = PersonUrl.personUrl(slug);
    for (const { number, kind } of fixed?.phones ?? []) yield { person_network_url, phone: number, kind };
    const prng = prngOf(world, index, 3);
    if (fixed || place.country !== 'US' || !Prng.chance(prng, 0.3)) continue;
    const kinds = phoneKinds(prng);
    for (const kind of kinds === 'both' ? ['mobile', 'direct'] : [kinds]) {
      const phone = fictionalNumber(prng, place.city, fictional) ?? unassignedNumber(unassigned++);
      yield { person_network_url, phone, kind };
    }
  }
}

/** Draws one of the last fifty fictional numbers of an area code. The first fifty are used in examples and tests. */
function fictionalNumber(prng: Prng.Prng, city: string, given: Map<string, number>): string | null {
  const area = Prng.pick(prng, Places.areaCodes[city] ?? []);
  const next = given.get(area) ?? 150;
  if (next > 199) return null;
  given.set(area, next + 1);
  return `+1${area}5550${next}`;
}

/** Number with a reserved area code (370 to 379, 960 to 969), so it cannot be a real one. */
function unassignedNumber(index: number): string {
  const area = index % 2 === 0 ? 370 : 960;
  const rest = Math.floor(index / 2);
  const office = 200 + (Math.floor(rest / 10_000) % 800);
  const block = Math.floor(rest / 8_000_000) % 10;
  return `+1${area + block}${office}${String(rest % 10_000).padStart(4, '0')}`;
}
