import { mayHaveBody, type Operation } from './operation.ts';
import * as SourceLocation from './source-location.ts';

/** The maximum length of a request body where the catalogue names none. */
const bodyBytesDefault = 1024 * 1024;
const highestLimit = 5_000_000_000;

const scales: Readonly<Record<string, number>> = {
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** Parses a number of bytes, such as `25MB` or 1048576; null when it is neither. */
export function parseBytes(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  const [, digits, unit = ''] = /^(\d{1,10})([KMG]i?B)$/.exec(String(value)) ?? [];
  return digits === undefined ? null : Number(digits) * (scales[unit] ?? 1);
}

/** Returns true when the price of a request depends on its body, which has to be complete then before it is forwarded. */
function readsBody({ units, unitsMax, stream }: Operation): boolean {
  return units.kind === 'meters' || unitsMax.kind === 'pointer' || stream !== null;
}

/**
 * Returns true when a long body is forwarded while it arrives, because no rule reads it.
 * @param hasKey true with an idempotency key, whose digest covers the whole body
 */
export function streamsBody(operation: Operation, hasKey: boolean): boolean {
  const isRead = hasKey || readsBody(operation) || operation.answeredBy === 'storefront';
  return !isRead && mayHaveBody(operation);
}

/** Returns the maximum length of a request body in bytes: that of the operation's own upstream, or of the shop. */
export function bodyBytesMax(
  upstream: { bodyBytesMax?: number },
  { service }: Pick<Operation, 'service'>,
): number {
  const routed = service.route?.bodyBytesMax ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(routed) ? routed : (upstream.bodyBytesMax ?? bodyBytesDefault);
}

/** Checks the maximum; the schema checks the form. */
export function checkBodyLimit(root: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const limits = SourceLocation.member(SourceLocation.member(root, 'upstream'), 'limits');
  const { path, value } = SourceLocation.member(limits, 'body_bytes');
  const bytes = parseBytes(value) ?? 1;
  if (bytes >= 1 && bytes <= highestLimit) return [];
  return [{ path, reason: `body_bytes is ${value}: write 1KB to ${highestLimit / 1e9}GB` }];
}
