import { domainToASCII } from 'node:url';
import * as Schema from '../schema/schema.ts';

/** Most of an address, and of the part before its `@` (RFC 5321, 4.5.3.1). */
const charactersMax = 254;
const localCharactersMax = 64;
const domainCharactersMax = 253;

// Quoted local parts and addresses in brackets are allowed by RFC 5321 and used by nobody at work.
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const localPattern = new RegExp(`^${atom}(?:\\.${atom})*$`);
const namePattern = /^[\p{L}\p{N}\p{M}.-]+$/u;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const domainPattern = new RegExp(`^(?:${label}\\.)+(?=[^.]*[a-z])${label}$`);

/**
 * The one form in which an address is kept and looked up: lower case, the domain as the DNS has it (IDNA, UTS 46).
 * Null for what is no address (the `Dot-string@Domain` of RFC 5321).
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
  'A work email; capital letters do not matter.',
  Schema.text({
    min: 1,
    max: charactersMax,
    rule: {
      holds: (text) => parse(text) !== null,
      otherwise: 'Expected an email address such as jane.doe@example.com',
    },
  }),
);

/** The address that a text accepted by the field above means. */
export function parsed(text: string): string {
  const address = parse(text);
  if (address === null) throw new TypeError('not an email address that was checked');
  return address;
}
