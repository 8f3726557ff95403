import { domainToASCII } from 'node:url';

/** RFC 5321, section 4.5.3.1. */
const charsMax = 254;
const localCharsMax = 64;
/** The characters of RFC 5322's `atom`, with dots between them. Quoted local parts are rejected: they are not in use. */
const local = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const domain = /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/;

/**
 * Returns an address in the form in which it is stored and compared: lower case, the domain in ASCII. Returns null when it is invalid.
 * A valid address has no space, quote or line break, so it cannot add a recipient or a header.
 */
export function parse(text: string): string | null {
  const at = text.trim().lastIndexOf('@');
  if (at < 1 || text.length > charsMax) return null;
  const name = text.trim().slice(0, at).toLowerCase();
  const host = domainToASCII(text.trim().slice(at + 1)).toLowerCase();
  if (name.length > localCharsMax || !local.test(name) || !domain.test(host)) return null;
  return name.length + 1 + host.length > charsMax ? null : `${name}@${host}`;
}
