/** The number of random cases of a property test: `thorough` with THOROUGH=1, otherwise a third of it, because CI runs them at every change. */
export function runs(thorough: number): number {
  return process.env.THOROUGH ? thorough : Math.ceil(thorough / 3);
}
