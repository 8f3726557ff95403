import { domainToUnicode } from 'node:url';
import * as Schema from '../schema/schema.ts';

const charactersMax = 500;
/** A name has no more labels that tell companies apart; the rest of a longer one is left out. */
const labelsMax = 6;
const otherwise = 'Expected a domain such as example.com, or a URL on it';

/** The host that a domain or a URL names: in lower case, without `www.`, IDN in ASCII; null where it names none. */
export function host(text: string): string | null {
  const address = text.trim();
  if (/[\s@]/.test(address)) return null;
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const name = url.hostname.replace(/\.$/, '').replace(/^www\.(?=.*\.)/, '');
  return /^(?:[a-z\d_-]+\.)+[a-z][a-z\d-]*$/.test(name) ? name : null;
}

/**
 * The domains that may be known for a host: itself, then what it is a sub-domain of, down to two labels; each in ASCII
 * and, where that is another, in Unicode.
 */
export function candidates(host: string): string[] {
  const labels = host.split('.').slice(-labelsMax);
  const domains = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  return [...new Set(domains.flatMap((domain) => [domain, domainToUnicode(domain)]))].filter(
    (domain) => domain !== '',
  );
}

/** The field that names a domain. */
export const field = Schema.about(
  'A domain, or any URL on it: `example.com`, `https://www.example.com/about`. Sub-domains and ports are left aside.',
  Schema.text({ min: 1, max: charactersMax, rule: { holds: (text) => host(text) !== null, otherwise } }),
);

/** The host of a text that the field above accepted. */
export function parsed(text: string): string {
  const name = host(text);
  if (name === null) throw new TypeError('not a domain that was checked');
  return name;
}
