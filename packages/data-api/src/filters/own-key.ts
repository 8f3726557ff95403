import { sha256Hex } from '@sluice/kernel/digest';

/**
 * Keys of companies and people without an address at the network. They are derived from identifying columns, so that the
 * next import of the same row has the same key. A key is used as a slug; its colon keeps it apart from the network's slugs.
 */
const prefix = 'own:';
const digitsOfKey = 24;
/** Start of the addresses (URNs) that contain keys. */
export const urnStart = 'urn:nw:own:';
/** Pattern of the digits of a key. */
export const digits = `[0-9a-f]{${digitsOfKey}}`;

/** Postings without an id get one from here up to the largest safe integer. */
export const jobIdMin = 2 ** 52;

type Kind = 'company' | 'person';

/** Derives the key from the text that identifies the company or person. */
export function derive(kind: Kind, identity: string): string {
  return ofDigits(sha256Hex(`${kind}\n${identity}`).slice(0, digitsOfKey));
}

export function ofDigits(found: string): string {
  return prefix + found.toLowerCase();
}

export function isOwn(slug: string): boolean {
  return slug.startsWith(prefix);
}

/** Address of the company or person with a key: `urn:nw:own:company:<key>`. */
export function urn(kind: Kind, key: string): string {
  return `${urnStart}${kind}:${key.slice(prefix.length)}`;
}

/** Derives the id of a posting from the text that identifies it. */
export function jobId(identity: string): number {
  const number = Number.parseInt(sha256Hex(`job\n${identity}`).slice(0, 13), 16);
  return jobIdMin + (number % jobIdMin);
}
