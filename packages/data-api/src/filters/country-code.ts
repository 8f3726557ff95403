import { nearest } from '@sluice/kernel/did-you-mean';
import * as Schema from '../schema/schema.ts';
import { fold } from './fold.ts';
import * as Geography from './geography.ts';

/** Codes that are in use for a country but are not its ISO 3166-1 alpha-2 code. */
const otherCodes: readonly (readonly [string, string])[] = [
  ['UK', 'GB'],
  ['EN', 'GB'],
  ['EL', 'GR'],
  ['KO', 'KR'],
  ['GER', 'DE'],
  ['SUI', 'CH'],
  ['NED', 'NL'],
  ['DEN', 'DK'],
  ['POR', 'PT'],
  ['GRE', 'GR'],
  ['UAE', 'AE'],
  ['USA', 'US'],
  ['America', 'US'],
  ['Great Britain', 'GB'],
  ['England', 'GB'],
  ['Scotland', 'GB'],
  ['Wales', 'GB'],
  ['Holland', 'NL'],
];
const nearCodesMax = 5;
const echoedCharactersMax = 60;

const englishNames = new Intl.DisplayNames(['en'], { type: 'region' });
const codeByName = new Map<string, string>([
  ...[...Geography.countries].flatMap(([code, { name, alpha_3 }]): [string, string][] => [
    [key(name), code],
    [key(englishNames.of(code) ?? name), code],
    [key(alpha_3), code],
  ]),
  ...otherCodes.map(([other, code]): [string, string] => [key(other), code]),
]);
const names = [...codeByName.keys()].filter((name) => name.length > 3);

/** A country code of a request: two letters in any case, which become capitals. Unknown codes are refused. */
export const field = Schema.text({
  min: 2,
  max: 2,
  rule: {
    holds: isCode,
    otherwise: hint,
    pattern: '^[A-Za-z]{2}$',
    canonical: (text) => text.toUpperCase(),
  },
});

/** Returns true for an ISO 3166-1 alpha-2 code, in any case. */
export function isCode(text: string): boolean {
  return /^[A-Za-z]{2}$/.test(text) && Geography.country(text.toUpperCase()) !== null;
}

/** Code of a country by its English name, its alpha-3 code or another code in use; null if there is none. */
export function byName(text: string): string | null {
  return codeByName.get(key(text)) ?? null;
}

/** Error message for an unknown code, with the country that was probably meant. */
export function hint(text: string): string {
  const shown = JSON.stringify(text.slice(0, echoedCharactersMax).toWellFormed());
  const start = `Invalid country code ${shown}.`;
  const meant = byName(text);
  if (meant !== null) return `${start} Did you mean "${meant}"?`;
  const near = text.length > 3 ? nearest(text.slice(0, echoedCharactersMax), names) : null;
  const code = near === null ? undefined : codeByName.get(near);
  if (code) return `${start} Did you mean "${code}" (${Geography.country(code)?.name})?`;
  const alike = nearCodes(text);
  const codes = alike.length > 0 ? ` Codes near it: ${alike.join(', ')}` : '';
  return `${start} Expected an ISO 3166-1 alpha-2 code of two letters, such as "US".${codes}`;
}

function key(name: string): string {
  return fold(name.slice(0, echoedCharactersMax)).replace(/[.()&']/g, '');
}

/** Codes that share a letter with `text` in its place. */
function nearCodes(text: string): string[] {
  if (text.length > 3) return [];
  const [first, second] = text.toUpperCase();
  return [...Geography.countries.keys()]
    .filter((code) => code[0] === first || code[1] === second)
    .slice(0, nearCodesMax);
}
