import { domainToASCII } from 'node:url';

/** RFC 5321, section 4.5.3.1. */
const charsMax = 254;
const localCharsMax = 64;
/** The characters of RFC 5322's `atom`, dots between them; quoted names are not taken: nobody has one. */
const local = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const domain = /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/;

/**
 * An address as it is kept and compared: lower case, the domain in its ASCII form. Null where it is none.
 * What passes holds no space, quote or line break, and so cannot become a second recipient or a header.
 */
export function parse(text: string): string | null {
  const at = text.trim().lastIndexOf('@');
  if (at < 1 || text.length > charsMax) return null;
  const name = text.trim().slice(0, at).toLowerCase();
  const host = domainToASCII(text.trim().slice(at + 1)).toLowerCase();
  if (name.length > localCharsMax || !local.test(name) || !domain.test(host)) return null;
  return name.length + 1 + host.length > charsMax ? null : `${name}@${host}`;
}

/** Who reads it, as far as an address tells: `ann+shop@` and `ann@` are one person at most providers. */
export function mailbox(email: string): string {
  return email.replace(/\+.*@/, '@');
}
