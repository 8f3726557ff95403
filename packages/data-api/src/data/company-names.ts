import { plain as words } from '../filters/words.ts';
import * as Names from './names.ts';
import * as Prng from './prng.ts';

const roots =
  'Larkspur Bluefin Cedarbrook Halden Tessera Quillon Marlowe Brightwater Stonefield Juniper Calder Northgate Alder Meridian Kestrel Harrow Solace Fenwick Osprey Lumen Verity Amberley Cobalt Drift Ember Foxglove Granite Hollow Indigo Jasper Keystone Lantern Mosswood Nimbus Orchard Pinnacle Quarry Redwood Sable Thistle Umber Vantage Willow Yarrow Zephyr Aster Birchwood Copperfield Dovetail Evergreen Fathom Glasswing Heron Ironbark Kingfisher Lodestar Mistral Nettle Oakline Palisade Riverstone Saltmarsh Tidewater Upland Vireo Westerly Anchorage Beacon Compass Dunmore Everly Falcon Garnet Hawthorn Ivory Linden Magpie Novella Onyx Plover Rowan Silverbirch Tamarack Vellum Wren';
const fronts =
  'Ash Bay Clear Dale East Fair Gold Hart High Iron Lake Long Maple Mill Moon New Oak Pine Rock Rose Silver Sky Snow South Spring Star Stone Summer Sun Swift West White Wild Wind Winter Wood';
const backs =
  'bank bridge brook bury croft dale fell field ford gate grove ham haven hill hurst land ley mark mere mill mont point port ridge shore side stead strand ton vale view ward water way well wick wood';

const rootList = roots.split(' ');
const frontList = fronts.split(' ');
const backList = backs.split(' ');
const drawsMax = 50;

/** Creates company names with unique slugs. */
export type NameMaker = { taken: Set<string> };

export type Name = { name: string; slug: string };

export function maker(): NameMaker {
  return { taken: new Set() };
}

/** Reserves a slug, so that no other company gets it. */
export function reserve(names: NameMaker, slug: string): void {
  names.taken.add(slug);
}

/** Draws an unused name. After `drawsMax` attempts, appends the city and a number. */
export function draw(
  names: NameMaker,
  prng: Prng.Prng,
  tails: readonly string[],
  country: string,
  city: string,
): Name {
  for (let draws = 0; ; draws++) {
    const plain = candidate(prng, Prng.pick(prng, tails), country);
    const name = draws < drawsMax ? plain : `${plain} ${city} ${draws}`;
    const slug = words(name).join('-');
    if (names.taken.has(slug)) continue;
    names.taken.add(slug);
    return { name, slug };
  }
}

/** Reuses a name for another company, with a slug that includes the city. */
export function namesake(names: NameMaker, name: string, city: string): Name {
  for (let at = 1; ; at++) {
    const slug = words(at === 1 ? `${name} ${city}` : `${name} ${city} ${at}`).join('-');
    if (names.taken.has(slug)) continue;
    names.taken.add(slug);
    return { name, slug };
  }
}

/** Draws a name that may be in use. */
export function candidate(prng: Prng.Prng, tail: string, country: string): string {
  const kind = prng();
  if (kind < 0.3) return `${Prng.pick(prng, rootList)} ${tail}`;
  if (kind < 0.78) return `${Prng.pick(prng, frontList)}${Prng.pick(prng, backList)} ${tail}`;
  if (kind < 0.9) return `${Names.surname(prng, country)} ${tail}`;
  const [one, other] = [Names.surname(prng, country), Names.surname(prng, country)];
  return one === other ? `${one} ${tail}` : `${one} & ${other}`;
}
