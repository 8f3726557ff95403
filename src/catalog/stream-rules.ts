import * as SourceLocation from './source-location.ts';

/** Checks the rules for the stream of an operation that the schema cannot express. */
export function checkStream(
  operation: SourceLocation.LocatedValue,
  method: string,
): SourceLocation.Finding[] {
  const stream = SourceLocation.member(operation, 'stream');
  if (typeof stream.value !== 'object' || stream.value === null) return [];
  const findings: SourceLocation.Finding[] = [];
  const find = (at: SourceLocation.LocatedValue, reason: string) => findings.push({ path: at.path, reason });
  const usage = SourceLocation.member(stream, 'usage');
  const units = SourceLocation.text(SourceLocation.member(operation, 'units'));
  const placed = place(usage);
  if (units !== null && placed !== null && units !== placed && !units.startsWith(`${placed}/`)) {
    const reason = `at places the usage at ${placed}, but units is ${units}: let units begin with ${placed}, or set as`;
    find(SourceLocation.member(usage, 'at'), reason);
  }
  const when = SourceLocation.member(stream, 'when');
  if (method === 'GET' && when.value !== undefined)
    find(when, 'when does not go with GET, which has no body: leave it out');
  if (SourceLocation.member(operation, 'answered_by').value === 'storefront')
    find(stream, 'stream does not go with answered_by storefront: leave one of them out');
  return findings;
}

/** Returns where the combined usage is placed; null when it is not known. */
function place(usage: SourceLocation.LocatedValue): string | null {
  const at = SourceLocation.member(usage, 'at');
  const as = SourceLocation.text(SourceLocation.member(usage, 'as'));
  if (as !== null) return as;
  if (typeof at.value === 'object' && at.value !== null) return '/usage';
  return SourceLocation.text(at);
}
