import * as Prng from './prng.ts';
import families from './role-families.json' with { type: 'json' };

/** An occupation. */
export type Role = {
  title: string;
  /** Professional field of its postings. */
  field: string;
  /** Job function of its people. */
  function: string;
  skills: readonly string[];
  /** Clauses that follow "to". */
  duties: readonly string[];
  /** Career ladder: offices have principals and directors, trades have leads. */
  ladder: 'office' | 'trade';
};

/** Roles with the same field, skills and duties. */
type Family = Omit<Role, 'title'> & { titles: readonly string[] };

/** All roles, by the name of their family. */
const roles: ReadonlyMap<string, readonly Role[]> = new Map(
  Object.entries(families as Readonly<Record<string, Family>>).map(([name, { titles, ...shared }]) => [
    name,
    titles.map((title) => ({ title, ...shared })),
  ]),
);

/** Picks a role of the family. */
export function pick(prng: Prng.Prng, family: string): Role {
  const found = roles.get(family);
  if (!found) throw new RangeError(`no such family of roles: ${family}`);
  return Prng.pick(prng, found);
}

/** Job function of the people of a family. */
export function functionOf(family: string): string {
  const found = roles.get(family)?.[0];
  if (!found) throw new RangeError(`no such family of roles: ${family}`);
  return found.function;
}
