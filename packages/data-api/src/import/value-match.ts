import { nearest } from '@sluice/kernel/did-you-mean';
import * as Enums from '../filters/enums.ts';
import type { Node } from '../schema/schema.ts';
import * as CountryNames from './country-names.ts';

/** Industries of CRM systems that share no words with the one that is meant, in normal form. */
const industries: Readonly<Record<string, string>> = {
  software: 'Software Development',
  saas: 'Software Development',
  it: 'IT Services and IT Consulting',
  'information technology': 'IT Services and IT Consulting',
  technology: 'Technology; Information and Internet',
  tech: 'Technology; Information and Internet',
  'high tech': 'Technology; Information and Internet',
  ecommerce: 'Online and Mail Order Retail',
  'e commerce': 'Online and Mail Order Retail',
  finance: 'Financial Services',
  fintech: 'Financial Services',
  bank: 'Banking',
  consulting: 'Business Consulting and Services',
  marketing: 'Marketing Services',
  advertising: 'Advertising Services',
  healthcare: 'Hospitals and Health Care',
  'health care': 'Hospitals and Health Care',
  health: 'Hospitals and Health Care',
  pharma: 'Pharmaceutical Manufacturing',
  biotech: 'Biotechnology Research',
  engineering: 'Engineering Services',
  telecom: 'Telecommunications',
  telecommunication: 'Telecommunications',
  logistics: 'Transportation; Logistics; Supply Chain and Storage',
  transportation: 'Transportation; Logistics; Supply Chain and Storage',
  energy: 'Oil and Energy',
  media: 'Media Production',
  legal: 'Legal Services',
  law: 'Law Practice',
  government: 'Government Administration',
  'not for profit': 'Non-profit Organizations',
  nonprofit: 'Non-profit Organizations',
  recreation: 'Recreational Facilities',
  shipping: 'Maritime Transportation',
  recruiting: 'Staffing and Recruiting',
  staffing: 'Staffing and Recruiting',
  security: 'Computer and Network Security',
  cybersecurity: 'Computer and Network Security',
  agriculture: 'Farming',
  environmental: 'Environmental Services',
  hr: 'Human Resources Services',
};

/** Values that differ from ours in case and punctuation only, and abbreviations. */
function normal(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim();
}

/** Values that a field accepts; null if it accepts any text. */
export function valuesOf(field: string, node: Node): readonly string[] | null {
  if (field.endsWith('country_code')) return Enums.countryCodes;
  return node.kind === 'choice' ? node.values : null;
}

/** The value of `allowed` that a text of another system probably means; null if none comes near. */
export function match(field: string, text: string, allowed: readonly string[]): string | null {
  if (field.endsWith('country_code')) return CountryNames.codeOf(text);
  const wanted = normal(text);
  if (wanted === '') return null;
  const same = allowed.find((value) => normal(value) === wanted);
  if (same !== undefined) return same;
  if (field.endsWith('industry')) return industries[wanted] ?? nearIndustry(wanted, allowed);
  if (field.endsWith('size')) return sizeOf(text, allowed);
  return nearest(text, allowed);
}

/** Industry that begins with all words of the text, otherwise contains them, otherwise is spelled nearly the same. */
function nearIndustry(wanted: string, allowed: readonly string[]): string | null {
  const words = wanted.split(' ').filter((word) => word !== 'and');
  const all = allowed
    .filter((value) => value !== Enums.industryUnknown)
    .map((value) => ({ value, text: ` ${normal(value)} ` }));
  const containing = all
    .filter(({ text }) => words.every((word) => text.includes(` ${word} `)))
    .sort(
      (one, other) =>
        Number(other.text.startsWith(` ${words[0]} `)) - Number(one.text.startsWith(` ${words[0]} `)) ||
        one.text.length - other.text.length,
    );
  return (
    containing[0]?.value ??
    nearest(
      wanted,
      all.map(({ value }) => value),
    )
  );
}

/** Headcount band that contains the first number of the text, such as `11 to 50 employees` or `10,001+`. */
function sizeOf(text: string, allowed: readonly string[]): string | null {
  const number = Number(/\d[\d,]*/.exec(text)?.[0]?.replaceAll(',', '') ?? Number.NaN);
  if (Number.isNaN(number)) return null;
  const tops = allowed.map((band) => Number(band.split('-')[1] ?? Number.POSITIVE_INFINITY));
  return allowed[tops.findIndex((top) => number <= top)] ?? null;
}
