import { domainToASCII } from 'node:url';
import * as Schema from '../schema/schema.ts';

/** Maximum lengths of an address and its parts (RFC 5321, 4.5.3.1). */
const charactersMax = 254;
const localCharactersMax = 64;
const domainCharactersMax = 253;

// RFC 5321 also allows quoted local parts and address literals, which are not used in work emails.
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const localPattern = new RegExp(`^${atom}(?:\\.${atom})*$`);
const namePattern = /^[\p{L}\p{N}\p{M}.-]+$/u;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const domainPattern = new RegExp(`^(?:${label}\\.)+(?=[^.]*[a-z])${label}$`);

/**
 * Normalizes an address for storage and lookup: lower case, the domain in ASCII (IDNA, UTS 46). Null if it is not a
 * `Dot-string@Domain` (RFC 5321).
 */
export function parse(text: string): string | null {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0)).toLowerCase();
  const name = trimmed.slice(at + 1);
  if (local.length > localCharactersMax || !localPattern.test(local) || !namePattern.test(name)) return null;
  const domain = domainToASCII(name);
  if (domain.length > domainCharactersMax || !domainPattern.test(domain)) return null;
  const address = `${local}@${domain}`;
  return address.length > charactersMax ? null : address;
}

export const field = Schema.about(
  'A work email; case is ignored.',
  Schema.text({
    min: 1,
    max: charactersMax,
    rule: {
      holds: (text) => parse(text) !== null,
      otherwise: 'Expected an email address such as jane.doe@example.com',
    },
  }),
);

/** Address of a text that `field` has accepted. */
export function parsed(text: string): string {
  const address = parse(text);
  if (address === null) throw new TypeError('the email address has not been validated');
  return address;
}
