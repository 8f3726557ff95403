import * as EmailAddress from '../filters/email-address.ts';
import * as OwnKey from '../filters/own-key.ts';
import { domainOf } from './company.ts';

/**
 * Identities of rows without a network address, from the columns that identify them. The same columns give the same key in
 * every import, so they must not depend on anything else.
 */
export type CompanyFacts = {
  domain?: unknown;
  website?: unknown;
  email_domain?: unknown;
  name?: unknown;
};
export type PersonFacts = { email?: unknown; name: string | null; phone?: unknown; company: string | null };
export type JobFacts = { company: string | null; title?: unknown; city?: unknown; posted_at?: unknown };

/** Identity of a company: its domain, otherwise its name; null if neither is known. */
export function company(facts: CompanyFacts): string | null {
  for (const address of [facts.domain, facts.website, facts.email_domain]) {
    const domain = domainOf(text(address));
    if (domain !== null) return `domain ${domain}`;
  }
  const name = folded(facts.name);
  return name === null ? null : `name ${name}`;
}

/** Key of a company by its domain or name. */
export function companyKey(facts: CompanyFacts): string | null {
  const identity = company(facts);
  return identity === null ? null : OwnKey.derive('company', identity);
}

/** URN of a company; null if it has neither a domain nor a name. */
export function companyUrn(facts: CompanyFacts): string | null {
  const key = companyKey(facts);
  return key === null ? null : OwnKey.urn('company', key);
}

/**
 * URN of a person: by email; otherwise by name and company; otherwise by name and phone number. Null if nothing of this is
 * known.
 */
export function personUrn(facts: PersonFacts): string | null {
  const identity = person(facts);
  return identity === null ? null : OwnKey.urn('person', OwnKey.derive('person', identity));
}

function person({ email, name, phone, company }: PersonFacts): string | null {
  const address = EmailAddress.parse(text(email) ?? '');
  if (address !== null) return `email ${address}`;
  const called = folded(name);
  if (called === null) return null;
  if (company !== null) return `name ${called} at ${company}`;
  const digits = text(phone)?.replace(/\D/g, '');
  return digits ? `name ${called} phone ${digits}` : null;
}

/** Id of a posting: by company, title, city and day. */
export function jobId({ company, title, city, posted_at }: JobFacts): number {
  const day = text(posted_at)?.slice(0, 10) ?? '';
  return OwnKey.jobId([company ?? '', folded(title) ?? '', folded(city) ?? '', day].join('\n'));
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function folded(value: unknown): string | null {
  return text(value)?.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim() || null;
}
