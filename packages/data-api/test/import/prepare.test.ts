import { describe, expect, it } from 'vitest';
import * as Choices from '../../src/commands/import-choices.ts';
import * as Identity from '../../src/entries/identity.ts';
import type { Kind } from '../../src/entries/kind.ts';
import * as Enums from '../../src/filters/enums.ts';
import * as NetworkUrl from '../../src/filters/network-url.ts';
import * as PersonUrl from '../../src/filters/person-url.ts';
import * as ColumnSchema from '../../src/import/column-schema.ts';
import * as Columns from '../../src/import/columns.ts';
import * as CountryNames from '../../src/import/country-names.ts';
import * as HeaderPlan from '../../src/import/header-plan.ts';
import * as ValueMatch from '../../src/import/value-match.ts';

function plan(kind: Kind, header: string, maps: readonly string[] = [], isStrict = false) {
  return HeaderPlan.plan(kind, header.split(','), { mappings: Choices.readMappings(maps), isStrict });
}

describe('columns', () => {
  it.each<[string, Kind, string, string]>([
    [
      'a contact export',
      'people',
      'First Name,Last Name,Title,Account Name,Email,Mailing City,Mailing Country,Mobile',
      'first_name,last_name,experiences.1.job_title,company.name,email,location.city,location.country_code,mobile_phone',
    ],
    [
      'an account export',
      'companies',
      'Company name,Company Domain Name,Industry,Number of Employees,Annual Revenue,City,Country/Region',
      'name,domain,industry,employees_on_network,revenue,hq.city,hq.country_code',
    ],
    [
      'a prospecting tool',
      'people',
      'Person Network Url,Company Network Url,Name,Email Status,# Employees',
      'network_url,company.network_url,full_name,email_status,company.employees_on_network',
    ],
    ['our own names', 'people', 'network_url,experiences.1.job_title', 'network_url,experiences.1.job_title'],
    [
      'postings',
      'jobs',
      'Job Title,Company,Website,Date Posted',
      'title,company_name,company_domain,posted_at',
    ],
  ])('of %s are recognised', (_, kind, header, targets) => {
    const found = plan(kind, header);
    expect(found).toMatchObject({ warnings: [], faults: [] });
    expect(found.targets).toEqual(targets.split(','));
  });

  it('go where the seller maps them, in any writing of the name, or nowhere', () => {
    const found = plan('people', 'Kontakt,Firmenname,Email', [
      'kontakt=full_name',
      'Firmenname=company.name',
      'Email=',
    ]);
    expect(found).toMatchObject({ targets: ['full_name', 'company.name', null], warnings: [], faults: [] });
    expect(() => Choices.readMappings(['Firm=company.nam'])).toThrow('Did you mean "company.name"?');
    expect(() => Choices.readMappings(['Firm'])).toThrow('--map must be "Column=field"');
  });

  it('that are unknown are skipped with the nearest name, or errors on request', () => {
    const found = plan('companies', 'name,foundedyeer,Notes');
    expect(found.targets).toEqual(['name', null, null]);
    expect(found.warnings).toEqual([
      'Skipped unknown column "foundedyeer". Did you mean "founded_year"? Use --map "foundedyeer=founded_year"',
      'Skipped unknown column "Notes"',
    ]);
    expect(plan('companies', 'name,foundedyeer', [], true).faults).toEqual([
      'Unknown column "foundedyeer". Did you mean "founded_year"?',
    ]);
  });

  it('for the same field are not mixed: the best is used, and the other one is named', () => {
    const found = plan('people', 'Personal Mail,Email,Work Email');
    expect(found.targets).toEqual([null, 'email', null]);
    expect(found.warnings).toContain(
      'Skipped column "Work Email": "Email" is already used as email. Choose: --map "Work Email=email"',
    );
    expect(plan('companies', 'name,name').faults).toEqual([
      'Column "name" appears twice, or next to a column that contains it',
    ]);
  });

  it('that identify nothing are refused, with the option that would help', () => {
    expect(plan('people', 'Firma').faults.at(-1)).toBe(
      'One of the columns network_url, email, full_name, first_name, last_name is missing. Name a column that has it: --map "Column=network_url"',
    );
    expect(plan('companies', 'Nmae').faults).toEqual([
      'Unknown column "Nmae". Did you mean "name"?',
      'Column "name" is missing. Name the column that has it: --map "Column=name"',
    ]);
  });
});

describe('values', () => {
  it.each([
    ['Germany', 'DE'],
    ['de', 'DE'],
    ['DEU', 'DE'],
    ['Deutschland', 'DE'],
    ['Allemagne', 'DE'],
    ['USA', 'US'],
    ['U.S.A.', 'US'],
    ['United States of America', 'US'],
    ['UK', 'GB'],
    ['Côte d’Ivoire', 'CI'],
    ['Česko', 'CZ'],
    ['Atlantis', null],
  ])('country %s is %s', (text, code) => {
    expect(CountryNames.codeOf(text)).toBe(code);
  });

  it('recognise every country by both codes and its English name', () => {
    for (const code of Enums.countryCodes) {
      expect(CountryNames.codeOf(code), code).toBe(code);
      expect(CountryNames.codeOf(Enums.country(code)?.name ?? ''), code).toBe(code);
    }
  });

  it.each([
    ['industry', 'Software', 'Software Development'],
    ['industry', 'COMPUTER_SOFTWARE', 'Computer Software'],
    ['industry', 'Hospital & Health Care', 'Hospital and Health Care'],
    ['industry', 'Aviation', 'Aviation and Aerospace'],
    ['industry', 'Acounting', 'Accounting'],
    ['industry', 'Widgetry', null],
  ])('%s %s is %s', (field, text, expected) => {
    expect(ValueMatch.match(field, text, Enums.industries)).toBe(expected);
  });

  it('of other fields are matched too', () => {
    expect(ValueMatch.match('type', 'privately held', Enums.companyTypes)).toBe('Privately Held');
    expect(ValueMatch.match('size', '11 to 50 employees', Enums.sizes)).toBe('11-50');
    expect(ValueMatch.match('size', '10,001+', Enums.sizes)).toBe('10001+');
  });

  it('that the seller chooses must be ours', () => {
    expect(
      Choices.readMatches(['industry:A=B=Accounting', 'country:Germany=DE', 'industry:Other=']).at(0),
    ).toEqual({
      field: 'industry',
      from: 'A=B',
      to: 'Accounting',
    });
    expect(() => Choices.readMatches(['country:Germany=Germany'])).toThrow('Did you mean "DE"?');
    expect(() => Choices.readMatches(['city:A=B'])).toThrow('"city" has neither fixed values nor numbers');
  });

  it('that no match names stay as they are, even names of members of objects', () => {
    const columns = Columns.mapped(
      ColumnSchema.columnSchemaOf('companies'),
      ['Name', 'Land'],
      ['name', 'hq.country_code'],
      {
        'hq.country_code': { Germany: 'DE', Nowhere: '' },
      },
    );
    expect(
      ['Germany', ' Germany ', 'Nowhere', 'constructor', '__proto__'].map((cell) =>
        columns.value(['A', cell]),
      ),
    ).toEqual([
      { name: 'A', hq: { country_code: 'DE' } },
      { name: 'A', hq: { country_code: 'DE' } },
      { name: 'A' },
      { name: 'A', hq: { country_code: 'constructor' } },
      { name: 'A', hq: { country_code: '__proto__' } },
    ]);
  });

  it('every synonym of an industry leads to one of ours', () => {
    for (const industry of [
      'saas',
      'it',
      'tech',
      'fintech',
      'health',
      'logistics',
      'nonprofit',
      'hr',
      'security',
    ])
      expect(Enums.industries, industry).toContain(ValueMatch.match('industry', industry, Enums.industries));
  });
});

describe('keys of rows without a network address', () => {
  it('depend on the domain, otherwise the name, of a company, however they are written', () => {
    const key = Identity.companyUrn({ domain: 'acme.test', name: 'Acme' });
    expect(key).toMatch(/^urn:nw:own:company:[0-9a-f]{24}$/);
    expect(Identity.companyUrn({ website: 'https://www.ACME.test/about', name: 'Other' })).toBe(key);
    expect(Identity.companyUrn({ name: ' Acme  GmbH' })).toBe(Identity.companyUrn({ name: 'ACME GMBH' }));
    expect(Identity.companyUrn({})).toBe(null);
  });

  it('depend on the email, otherwise on name and company, of a person', () => {
    const person = (email: string | null, name: string | null, company: string | null) =>
      Identity.personUrn({ email, name, company });
    expect(person('Ann@Acme.test', 'Ann', 'x')).toBe(person('ann@acme.test', null, null));
    expect(person('n/a', 'Ann Lee', 'x')).toBe(person(null, 'ann  lee', 'x'));
    expect(person(null, 'Ann Lee', 'x')).not.toBe(person(null, 'Ann Lee', 'y'));
    expect(person(null, 'Ann Lee', null)).toBe(null);
  });

  it('are addresses that requests accept and responses repeat', () => {
    const company = Identity.companyUrn({ name: 'Acme' }) ?? '';
    expect(NetworkUrl.companyUrl(NetworkUrl.parsed(company.toUpperCase()))).toBe(company);
    const ref = PersonUrl.parsed(Identity.personUrn({ email: 'a@b.test', name: null, company: null }) ?? '');
    expect(ref).toMatchObject({ kind: 'slug', slug: expect.stringMatching(/^own:/) });
    const id = Identity.jobId({ company: 'x', title: 'Cook', posted_at: '2026-05-01T10:00:00Z' });
    expect(Number.isSafeInteger(id)).toBe(true);
    expect(NetworkUrl.jobUrl(id)).toBe(`urn:nw:own:job:${id}`);
    expect(NetworkUrl.company('urn:nw:own:company:xyz')).toBe(null);
    expect(NetworkUrl.company(`${NetworkUrl.origin}/company/own:0123456789abcdef01234567`)).toBe(null);
  });
});
