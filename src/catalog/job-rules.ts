import * as SourceLocation from './source-location.ts';

/** Checks the rules for the job of an operation that the schema cannot express. */
export function checkJob(operation: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const job = SourceLocation.member(operation, 'job');
  if (typeof job.value !== 'object' || job.value === null) return [];
  const findings: SourceLocation.Finding[] = [];
  const find = (at: SourceLocation.LocatedValue, reason: string) => findings.push({ path: at.path, reason });
  const poll = SourceLocation.member(job, 'poll');
  const parameters = SourceLocation.text(poll)?.match(/\{[^}/]+\}/g) ?? [];
  if (SourceLocation.text(poll) !== null && parameters.length !== 1)
    find(poll, 'poll needs one parameter for the id of the job, such as GET /v1/jobs/{id}');
  if (SourceLocation.member(operation, 'stream').value !== undefined)
    find(job, 'job does not go with stream: leave one of them out');
  if (SourceLocation.member(operation, 'answered_by').value === 'storefront')
    find(job, 'job does not go with answered_by storefront: leave one of them out');
  return findings;
}
