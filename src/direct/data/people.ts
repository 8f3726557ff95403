import type { PersonEntry } from '../entries/person.ts';
import { lifeOf, type World } from './career.ts';
import { profileOf } from './profile.ts';

/** The share of people who have as many connections as the network counts, and of those who show none. */
const popular = 0.38;
const reserved = 0.02;
const connectionsMax = 500;

/** Everyone, from the best connected to those of whom it is not known. */
export function* people(world: World): Generator<PersonEntry> {
  const count = world.seats.length;
  for (let index = 0; index < count; index++) {
    yield profileOf(world, lifeOf(world, index), connectionsAt(index / count));
  }
}

/** The connections of the one who has that share of people before. */
function connectionsAt(share: number): number | null {
  if (share < popular) return connectionsMax;
  if (share > 1 - reserved) return null;
  return Math.floor(connectionsMax * (1 - (share - popular) / (1 - reserved - popular)) ** 1.5);
}
