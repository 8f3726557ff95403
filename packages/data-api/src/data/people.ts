import type { PersonEntry } from '../entries/person.ts';
import { lifeOf, type World } from './career.ts';
import { profileOf } from './profile.ts';

/** Share of people with the maximum number of connections, and with an unknown number. */
const popular = 0.38;
const reserved = 0.02;
const connectionsMax = 500;

/** Generates all people, from the best connected to those with an unknown number of connections. */
export function* people(world: World): Generator<PersonEntry> {
  const count = world.seats.company.length;
  for (let index = 0; index < count; index++) {
    yield profileOf(world, lifeOf(world, index), connectionsAt(index / count));
  }
}

/** Connections of the person at that position of the order, from 0 to 1. */
function connectionsAt(share: number): number | null {
  if (share < popular) return connectionsMax;
  if (share > 1 - reserved) return null;
  return Math.floor(connectionsMax * (1 - (share - popular) / (1 - reserved - popular)) ** 1.5);
}
