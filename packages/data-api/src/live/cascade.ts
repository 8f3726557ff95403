import type { Step } from '../filters/cascade.ts';
import type { PersonRecord } from '../records/person.ts';
import * as Match from './match.ts';
import type { LiveSource } from './source.ts';

export type LiveCandidate = {
  record: PersonRecord;
  /** Number of the step, from 1. */
  icp: number;
  /** Name of the company in the matching position. */
  companyName: string | null;
  whatMatched: Match.WhatMatched[];
};

/**
 * Up to `limit` people who work at the company now and match the first step that finds anyone, the best connected first.
 * Profiles of the source that do not match are left out. Throws `Unavailable`.
 */
export async function find(
  source: LiveSource,
  workplace: Match.Workplace,
  steps: readonly Step[],
  limit: number,
  requestId: string,
): Promise<LiveCandidate[]> {
  const signal = AbortSignal.timeout(source.deadlineMs);
  for (const [index, step] of steps.entries()) {
    const question = { companyUrl: workplace.url, step, limit };
    const profiles = await source.find(question, { requestId, signal });
    const candidates = distinct(profiles).flatMap((record) => candidate(record, index + 1, step, workplace));
    if (candidates.length > 0) return candidates.sort(byConnections).slice(0, limit);
  }
  return [];
}

function candidate(
  record: PersonRecord,
  icp: number,
  step: Step,
  workplace: Match.Workplace,
): LiveCandidate[] {
  const position = Match.positionAt(record, workplace);
  const title = position?.job_title ?? null;
  if (position === null || !Match.isMet(step, record, title)) return [];
  const whatMatched = Match.whatMatched(step, record, title);
  return [{ record, icp, companyName: position.company_name ?? null, whatMatched }];
}

function distinct(profiles: readonly PersonRecord[]): PersonRecord[] {
  return [...new Map(profiles.map((record) => [record.network_url, record])).values()];
}

/** People with an unknown number of connections come last. */
function byConnections({ record: one }: LiveCandidate, { record: other }: LiveCandidate): number {
  return (other.connections_count ?? -1) - (one.connections_count ?? -1);
}
