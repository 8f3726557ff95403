import { describe, expect, it } from 'vitest';
import * as Known from '../src/data/known-people.ts';
import * as Sample from '../src/data/sample.ts';
import { company, domainOf, emailDomainOf } from '../src/entries/company.ts';
import { email } from '../src/entries/email.ts';
import { job } from '../src/entries/job.ts';
import { currentPosition, person } from '../src/entries/person.ts';
import { phone } from '../src/entries/phone.ts';
import * as Enums from '../src/filters/enums.ts';
import * as Read from '../src/schema/read.ts';
import type { Schema } from '../src/schema/schema.ts';

const dayMs = 86_400_000;
const options = {
  seed: Sample.seed,
  todayMs: Date.parse('2026-05-14T00:00:00Z'),
  companies: 500,
  people: 4_000,
  jobs: 2_000,
};
const drawn = (changes: object = {}) => {
  const { companies, people, jobs, emails, phones } = Sample.generate({ ...options, ...changes });
  return {
    companies: [...companies],
    people: [...people],
    jobs: [...jobs],
    emails: [...emails],
    phones: [...phones],
  };
};
const sample = drawn();
const slugsOf = (urls: readonly string[]) => new Set(urls).size;
const share = <T>(all: readonly T[], holds: (one: T) => boolean) => all.filter(holds).length / all.length;
const companyAt = new Map(sample.companies.map((entry) => [entry.network_url, entry]));
const personAt = new Map(sample.people.map((entry) => [entry.network_url, entry]));

describe('the sample', () => {
  it('is the same for the same seed and day, each time that it is gone through, and another for another seed', () => {
    expect(drawn()).toEqual(sample);
    const again = Sample.generate(options);
    expect([...again.people]).toEqual([...again.people]);
    expect(drawn({ seed: 2 }).companies.map(({ name }) => name)).not.toEqual(
      sample.companies.map(({ name }) => name),
    );
    const later = drawn({ todayMs: options.todayMs + dayMs });
    expect(later.jobs.map(({ posted_at }) => Date.parse(posted_at) - dayMs)).toEqual(
      sample.jobs.map(({ posted_at }) => Date.parse(posted_at)),
    );
  });

  it('has the sizes that are asked for', () => {
    expect(sample.companies).toHaveLength(500);
    expect(sample.people).toHaveLength(4_000);
    expect(sample.jobs).toHaveLength(2_000);
  });

  it('consists of entries that an owner could bring', () => {
    const schemas = { companies: company, people: person, jobs: job, emails: email, phones: phone };
    for (const [kind, schema] of Object.entries(schemas)) {
      for (const entry of sample[kind as keyof typeof sample]) {
        expect(Read.read(schema as Schema, entry)).toEqual({ kind: 'valid', value: entry });
      }
    }
    expect(JSON.stringify(sample)).not.toMatch(/undefined|NaN/);
  });

  it('names nobody and nothing twice, and links to what is there', () => {
    expect(slugsOf(sample.companies.map((entry) => entry.network_url))).toBe(500);
    expect(new Set(sample.companies.map((entry) => entry.network_id)).size).toBe(500);
    expect(slugsOf(sample.people.map((entry) => entry.network_url))).toBe(4_000);
    for (const key of ['member_number', 'profile_token', 'sales_token'] as const) {
      expect(new Set(sample.people.map((entry) => entry[key])).size).toBe(4_000);
    }
    expect(new Set(sample.emails.map((entry) => entry.email)).size).toBe(sample.emails.length);
    expect(new Set(sample.phones.map((entry) => entry.phone)).size).toBe(sample.phones.length);
    const links = [
      ...sample.jobs.map((entry) => entry.company_network_url),
      ...sample.people.flatMap((entry) => entry.experiences.map((each) => each.company_network_url)),
    ];
    for (const link of links) if (link !== null) expect(companyAt.has(link)).toBe(true);
  });

  it('has companies under .example only, some under a name that others have too', () => {
    for (const { domain, website, email_domain, other_domains } of sample.companies) {
      for (const given of [domain, website, email_domain, ...other_domains]) {
        if (given !== null) expect(domainOf(given)).toMatch(/^[\p{L}\p{N}-]+\.example$/u);
      }
    }
    const names = Map.groupBy(sample.companies, ({ name }) => name);
    const namesakes = [...names.values()].filter((some) => some.length > 1);
    expect(namesakes.length).toBeGreaterThan(2);
    for (const some of namesakes) expect(new Set(some.map(({ domain }) => domain)).size).toBe(some.length);
  });
});

describe('careers in the sample', () => {
  const todayDay = new Date(options.todayMs).toISOString().slice(0, 10);

  it('run from the first position to the present without a date that makes no sense', () => {
    for (const { experiences, education } of sample.people) {
      for (const { job_start_date: start, job_end_date: end, job_is_current: isCurrent } of experiences) {
        expect(start !== null && start <= (end ?? todayDay)).toBe(true);
        expect(isCurrent).toBe(end === null);
      }
      const [, ...past] = experiences.filter((each) => each.job_end_date !== null);
      past.forEach((each, at) => {
        const later = experiences.filter((other) => other.job_end_date !== null)[at];
        expect(each.job_end_date && later?.job_start_date && each.job_end_date <= later.job_start_date).toBe(
          true,
        );
      });
      for (const { start_date: start, end_date: end } of education ?? []) {
        expect(start && end && start < end && end <= todayDay).toBe(true);
      }
    }
  });

  it('hold one position now, or two, or none, and begin at companies that were there', () => {
    const held = sample.people.map((entry) => entry.experiences.filter((each) => each.job_is_current).length);
    expect(new Set(held)).toEqual(new Set([0, 1, 2]));
    expect(share(sample.people, (entry) => entry.experiences.length > 2)).toBeGreaterThan(0.3);
    const known = sample.people.flatMap((entry) => entry.experiences.slice(1));
    expect(share(known, (each) => each.company_network_url !== null)).toBeGreaterThan(0.6);
    for (const { company_network_url: link, job_start_date: start, job_is_current: isCurrent } of known) {
      const founded = (link && companyAt.get(link)?.founded_year) || 0;
      if (!isCurrent) expect(Number(start?.slice(0, 4))).toBeGreaterThanOrEqual(founded);
    }
  });

  it('come from the best connected to those who show nothing', () => {
    const counts = sample.people.map((entry) => entry.connections_count ?? -1);
    expect(counts).toEqual([...counts].sort((one, other) => other - one));
    expect(share(counts, (count) => count === 500)).toBeGreaterThan(0.3);
    expect(Math.min(...counts)).toBe(-1);
  });

  it('are tagged for most, and in every word of the interface', () => {
    for (const [key, values] of [
      ['job_level', Enums.jobLevels],
      ['job_function', Enums.jobFunctions.filter((value) => value !== 'Other')],
    ] as const) {
      const told = share(sample.people, (entry) => entry[key] !== null);
      expect(told).toBeGreaterThan(0.75);
      expect(told).toBeLessThan(0.95);
      expect(new Set(sample.people.map((entry) => entry[key]))).toEqual(new Set([...values, null]));
    }
  });

  it('tell where people are, with the code of the state', () => {
    for (const { location } of sample.people) {
      if (location) expect(location.country_code && location.city && location.state_code).toBeTruthy();
    }
    expect(share(sample.people, (entry) => entry.location === null)).toBeLessThan(0.06);
  });
});

describe('companies in the sample', () => {
  it('have money, rounds and codes, though not all of them', () => {
    const { companies } = sample;
    for (const key of ['revenue', 'web_traffic', 'ad_spend', 'total_funding', 'last_funding_type'] as const) {
      const told = share(companies, (entry) => entry[key] !== null);
      expect(told).toBeGreaterThan(0.1);
      expect(told).toBeLessThan(0.95);
    }
    for (const { last_funding_amount: amount, total_funding: total, naics_codes, activities } of companies) {
      if (amount !== null) expect(total).toBeGreaterThanOrEqual(amount);
      expect(naics_codes.length > 0).toBe(activities.length > 0);
    }
  });
});

describe('contacts in the sample', () => {
  it('are addresses under the domain of the company that the position is at', () => {
    for (const { email: address, person_network_url, company_network_url, job_order } of sample.emails) {
      const position = personAt.get(person_network_url)?.experiences[(job_order ?? 0) - 1];
      expect(position?.company_network_url).toBe(company_network_url);
      const at = companyAt.get(company_network_url ?? '');
      expect(address.split('@')[1]).toBe(at && emailDomainOf(at));
    }
    const fresh = share(
      sample.emails,
      ({ verified_at }) => Date.parse(verified_at ?? '') > options.todayMs - 30 * dayMs,
    );
    expect(fresh).toBeGreaterThan(0.8);
    expect(fresh).toBeLessThan(1);
  });

  it('are numbers that reach nobody, of people in the United States', () => {
    expect(sample.phones.length).toBeGreaterThan(50);
    for (const { phone: number, person_network_url } of sample.phones) {
      expect(number).toMatch(/^\+1([2-9]\d{2}55501\d{2}|(37|96)\d[2-9]\d{6})$/);
      const location = personAt.get(person_network_url)?.location;
      if (location) expect(location.country_code).toBe('US');
    }
  });

  it.each(Known.knownPeople)('lead to $first $last, $title of $company', (known) => {
    const url = `https://www.network.example/in/${known.slug}`;
    const entry = personAt.get(url);
    const position = entry && currentPosition(entry);
    expect(position).toMatchObject({
      job_title: known.title,
      company_network_url: `https://www.network.example/company/${known.company}`,
    });
    expect(entry?.job_level).toBe(known.level);
    const address = sample.emails.find((each) => each.person_network_url === url && each.job_order === 1);
    expect(Date.parse(address?.verified_at ?? '')).toBeGreaterThan(options.todayMs - 21 * dayMs);
    const phones = sample.phones.filter((each) => each.person_network_url === url);
    expect(phones.map(({ phone: number, kind }) => ({ number, kind }))).toEqual(known.phones);
  });
});
