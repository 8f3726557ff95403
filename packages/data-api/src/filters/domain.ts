import { domainToUnicode } from 'node:url';
import * as Schema from '../schema/schema.ts';

const charactersMax = 500;
/** Maximum number of labels used for the search. More specific labels of longer names are ignored. */
const labelsMax = 6;
const otherwise = 'Expected a domain such as example.com, or a URL on it';

/** Host of a domain or URL: lower case, without `www.`, IDN in ASCII; null if there is none. */
export function host(text: string): string | null {
  const address = text.trim();
  if (/[\s@]/.test(address)) return null;
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const name = url.hostname.replace(/\.$/, '').replace(/^www\.(?=.*\.)/, '');
  return /^(?:[a-z\d_-]+\.)+[a-z][a-z\d-]*$/.test(name) ? name : null;
}

/**
 * Domains to search for a host: itself, then its parent domains down to two labels, each in ASCII and, if different, in
 * Unicode.
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
  'A domain, or any URL on it: `example.com`, `https://www.example.com/about`. Subdomains also match their parent domain; ports are ignored.',
  Schema.text({ min: 1, max: charactersMax, rule: { holds: (text) => host(text) !== null, otherwise } }),
);

/** Host of a text that `field` has accepted. */
export function parsed(text: string): string {
  const name = host(text);
  if (name === null) throw new TypeError('the domain has not been validated');
  return name;
}
