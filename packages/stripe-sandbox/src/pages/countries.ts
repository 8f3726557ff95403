const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Codes with a name that are no country: groups of countries, outlying areas, and codes for tests. */
const others = new Set(['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'ZZ']);

/** The countries by their names in English. A code that another one has replaced is not listed. */
export const countries: readonly (readonly [code: string, name: string])[] = letters
  .flatMap((first) => letters.map((second) => first + second))
  .flatMap((code) => {
    const name = others.has(code) ? undefined : names.of(code);
    const isCurrent = Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
    return name === undefined || !isCurrent ? [] : [[code, name] as const];
  })
  .sort(([, one], [, other]) => one.localeCompare(other, 'en'));
