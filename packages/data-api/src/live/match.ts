import * as Cascade from '../filters/cascade.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { headline, type PersonRecord } from '../records/person.ts';

type Position = NonNullable<PersonRecord['experiences']>[number];
export type Workplace = { url: string; number: number | null };
/** A requested title and the field that contains it. */
export type WhatMatched = { value: string; key: 'job_title' | 'headline' };

/**
 * Current position at the company. A position without a company URL counts if the profile has no better one; null if the
 * person works elsewhere.
 */
export function positionAt(record: PersonRecord, workplace: Workplace): Position | null {
  const current = (record.experiences ?? []).filter(
    ({ job_is_current, job_end_date }) => job_is_current ?? !job_end_date,
  );
  return (
    current.find(({ company_network_url: url }) => url && isAt(url, workplace)) ??
    current.find(({ company_network_url: url }) => !url) ??
    null
  );
}

function isAt(url: string, workplace: Workplace): boolean {
  const ref = NetworkUrl.company(url);
  if (ref === null) return false;
  return ref.kind === 'number' && ref.number === workplace.number
    ? true
    : NetworkUrl.companyUrl(ref) === workplace.url;
}

/** Returns true if the person, with the title of their position, meets the step. Same rules as `Cascade.search`. */
export function isMet(step: Cascade.Step, record: PersonRecord, title: string | null): boolean {
  const texts = placesOf(step, record, title).map(({ text }) => text);
  const isFound = (value: string) => texts.some((text) => text !== null && Cascade.isFound(value, text));
  const country = record.location?.country_code?.toUpperCase();
  return (
    (step.include_title.length === 0 || step.include_title.some(isFound)) &&
    !step.exclude_title.some(isFound) &&
    (Cascade.isAnywhere(step) || step.location.some((code) => code.toUpperCase() === country))
  );
}

/** Requested titles that were found, by field. */
export function whatMatched(step: Cascade.Step, record: PersonRecord, title: string | null): WhatMatched[] {
  return placesOf(step, record, title).flatMap(({ key, text }) =>
    step.include_title
      .filter((value) => text !== null && Cascade.isFound(value, text))
      .map((value) => ({ value, key })),
  );
}

function placesOf(step: Cascade.Step, record: PersonRecord, title: string | null) {
  return [
    { key: 'job_title' as const, text: title },
    ...(step.include_headline_search ? [{ key: 'headline' as const, text: headline(record) }] : []),
  ];
}
