import distributions from './distributions.json' with { type: 'json' };
import * as Prng from './prng.ts';

/** Companies of one headcount band: how frequent they are, how old, and who owns them. */
export type SizeClass = {
  size: string;
  min: number;
  max: number;
  weight: number;
  /** In years. The age above the minimum is exponentially distributed, cut off at the maximum. */
  age: { min: number; median: number; max: number };
  /** Ownership types with their weights. */
  types: Readonly<Record<string, number>>;
  /** The first and the last stage of funding that such a company has reached (finance.ts). */
  stages: readonly [number, number];
};

export const sizeClasses = distributions.size_classes as unknown as readonly SizeClass[];
/** Ownership types of companies with one employee. */
export const singlePersonTypes: Readonly<Record<string, number>> = distributions.single_person_types;

const anyClass = Prng.weighted(sizeClasses, ({ weight }) => weight);
const typeOf = new Map(sizeClasses.map((each) => [each, Prng.byWeight(each.types)]));
const singlePersonType = Prng.byWeight(singlePersonTypes);

/** Draws a number of employees: a class by weight, then a number whose logarithm is uniform within the class. */
export function employees(prng: Prng.Prng): number {
  const { min, max } = anyClass(prng);
  return Math.min(max, Math.floor(min * ((max + 1) / min) ** prng()));
}

export function classOf(employees: number): SizeClass {
  const found = sizeClasses.find(({ max }) => employees <= max) ?? sizeClasses.at(-1);
  if (found === undefined) throw new RangeError('no size classes');
  return found;
}

/** Draws the age of a company in years. */
export function age(prng: Prng.Prng, employees: number): number {
  const { min, median, max } = classOf(employees).age;
  return Math.min(max, min + Math.floor(-Math.log2(1 - prng()) * (median - min)));
}

/** Draws an ownership type. Only companies with one employee are self-employed. */
export function ownership(prng: Prng.Prng, employees: number): string {
  return employees === 1
    ? singlePersonType(prng)
    : (typeOf.get(classOf(employees))?.(prng) ?? 'Privately Held');
}
