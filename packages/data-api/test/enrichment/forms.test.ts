import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as EmailAddress from '../../src/filters/email-address.ts';
import * as PersonUrl from '../../src/filters/person-url.ts';
import * as PhoneNumber from '../../src/filters/phone-number.ts';
import * as Person from '../../src/records/person.ts';

describe("a person's address", () => {
  const slug = (name: string) => ({ kind: 'slug', slug: name });
  it.each([
    ['https://www.network.example/in/jane-doe', slug('jane-doe')],
    ['http://network.example/in/Jane-Doe/', slug('jane-doe')],
    ['pt.network.example/in/jo%C3%A3o-silva?x=1#y', slug('joão-silva')],
    ['HTTPS://WWW.NETWORK.EXAMPLE/in/joão-silva', slug('joão-silva')],
    ['https://www.network.example/in/ACoAABcd-E_f', { kind: 'profile', token: 'ACoAABcd-E_f' }],
    ['https://www.network.example/in/acoaabcd', slug('acoaabcd')],
    [
      'https://www.network.example/sales/lead/ACwAAB12,NAME_SEARCH,Xy-1',
      { kind: 'sales', token: 'ACwAAB12' },
    ],
    ['https://www.network.example/sales/lead/ACwAAB12', { kind: 'sales', token: 'ACwAAB12' }],
    ['https://www.network.example/sales/people/ACwAAB12,name,aB/', { kind: 'sales', token: 'ACwAAB12' }],
    ['urn:nw:fsd_profile:ACoAAB12', { kind: 'profile', token: 'ACoAAB12' }],
    ['urn:nw:fs_salesProfile:(ACwAAB12,NAME_SEARCH,x)', { kind: 'sales', token: 'ACwAAB12' }],
    ['urn:nw:member:123456', { kind: 'member', number: 123_456 }],
  ])('%s is read', (text, ref) => {
    expect(PersonUrl.person(text)).toEqual(ref);
  });

  it.each([
    ['https://www.network.example/sales/profile/123,abc,NAME_SEARCH'],
    ['https://www.network.example/talent/profile/ACoAAB12'],
    ['https://www.network.example/pub/jane-doe/1/2/3'],
    ['https://www.network.example/public-profile/in/jane-doe'],
    ['https://nw.example/e/abc'],
    ['urn:nw:person:abc'],
    ['urn:nw:fsd_profile:jane-doe'],
    ['urn:nw:member:abc'],
    ['ACoAAB12'],
    ['jane-doe'],
    ['https://www.network.example/in/'],
    ['https://www.network.example/in/jane/doe'],
    ['https://www.network.example/company/jane-doe'],
    ['https://www.network.example/sales/lead/jane-doe'],
    ['https://www.network.example.evil.example/in/jane-doe'],
    ['https://evil.example/network.example/in/jane-doe'],
    ['https://www.network.example/in/%E0%A4%A'],
    ['https://www.network.example/in/../admin'],
    [''],
  ])('%s is refused', (text) => {
    expect(PersonUrl.person(text)).toBeNull();
  });

  it('leads back to its slug in the one form that is answered', () => {
    expect(PersonUrl.personUrl('joão-silva')).toBe('https://www.network.example/in/jo%C3%A3o-silva');
    for (const name of ['jane-doe', 'joão-silva', 'a.b_c', "o'hara"]) {
      expect(PersonUrl.person(PersonUrl.personUrl(name))).toEqual(slug(name));
    }
  });

  it('of any text is read or refused, never worse', () => {
    const beginnings = fc.constantFrom(
      '',
      'https://www.network.example/in/',
      'urn:nw:member:',
      '/sales/lead/',
    );
    const read = (start: string, text: string) => void PersonUrl.person(start + text);
    fc.assert(fc.property(beginnings, fc.string(), read), { numRuns: 500 });
  });
});

describe('an email address', () => {
  it.each([
    ['Jane.Doe@Example.COM', 'jane.doe@example.com'],
    [" o'hara+x@mail.co.uk ", "o'hara+x@mail.co.uk"],
    ['a@bücher.example', 'a@xn--bcher-kva.example'],
    ['a@XN--BCHER-KVA.example', 'a@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@b.de`, `${'a'.repeat(64)}@b.de`],
  ])('%s is %s', (text, address) => {
    expect(EmailAddress.parse(text)).toBe(address);
    expect(EmailAddress.parse(address)).toBe(address);
  });

  it.each([
    ['a..b@c.de'],
    ['.a@c.de'],
    ['a@b@c.de'],
    ['a@c'],
    ['a@-c.de'],
    ['a@c..de'],
    ['a@c.de/x'],
    ['a@127.1'],
    ['a@0x7f.0x1'],
    ['a@[127.0.0.1]'],
    ['"a b"@c.de'],
    [`${'a'.repeat(65)}@b.de`],
    [`a@${'b'.repeat(64)}.de`],
    [`a@${'b.'.repeat(126)}de`],
  ])('%s is none', (text) => {
    expect(EmailAddress.parse(text)).toBeNull();
  });
});

describe('a phone number', () => {
  const us = (e164: string) => ({ kind: 'us', e164 });
  it.each([
    ['+12015550123', us('+12015550123')],
    ['201-555-0123', us('+12015550123')],
    ['1 (201) 555–0123', us('+12015550123')],
    ['tel:+1-201-555-0123;ext=9', us('+12015550123')],
    ['２０１５５５０１２３', us('+12015550123')],
    ['+1 787 555 0123', us('+17875550123')],
    ['+1 416 555 0123', { kind: 'other' }],
    ['+1 876 555 0123', { kind: 'other' }],
    ['+1 911 555 0123', { kind: 'other' }],
    ['+1 291 555 0123', { kind: 'other' }],
    ['+1 101 555 0123', { kind: 'other' }],
    ['+1 201 155 0123', { kind: 'other' }],
    ['+1 273 555 0123', { kind: 'other' }],
    ['+1234567890', { kind: 'other' }],
    ['+44 20 7946 0958', { kind: 'other' }],
    ['+49 30 901820', { kind: 'other' }],
    ['555-0123', { kind: 'other' }],
  ])('%s is read', (text, number) => {
    expect(PhoneNumber.parse(text)).toEqual(number);
  });

  it.each([['911'], ['+'], ['201-555-CALL'], ['++12015550123'], ['1'.repeat(16)], ['a']])(
    '%s is none',
    (text) => {
      expect(PhoneNumber.parse(text)).toBeNull();
    },
  );
});

describe('a person as answered', () => {
  const of = (record: Partial<Person.PersonRecord>) =>
    Person.toPerson({ network_url: 'https://network.example/in/Jane-Doe/', ...record });

  it('has every key, null where nothing is known', () => {
    expect(of({})).toEqual({
      first_name: null,
      last_name: null,
      full_name: null,
      nickname: null,
      civility_title: null,
      headline: null,
      about_me: null,
      location: null,
      network_url: 'https://www.network.example/in/jane-doe',
      connections_count: null,
      profile_picture_url: null,
      experiences: [],
      education: null,
      skills: null,
      certifications: null,
    });
  });

  it('has the headline of the profile, else title and employer of the first position', () => {
    const experiences = [
      { job_title: 'Engineer', company_name: 'Acme' },
      { job_title: 'Intern', company_name: 'Other' },
    ];
    expect(of({ headline: 'Hi', experiences }).headline).toBe('Hi');
    expect(of({ experiences }).headline).toBe('Engineer | @Acme');
    expect(of({ experiences: [{ job_title: 'Engineer' }] }).headline).toBe('Engineer');
    expect(of({ experiences: [{ company_name: 'Acme' }] }).headline).toBe('@Acme');
  });

  it('has companies by the same UUID in whatever form they were brought, and another for another', () => {
    const idOf = (company_network_url: string) =>
      of({ experiences: [{ company_network_url }] }).experiences[0];
    const one = idOf('https://www.network.example/company/acme');
    expect(one?.company_network_id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(idOf('http://de.network.example/company/ACME/?x')).toEqual(one);
    expect(idOf('https://www.network.example/company/acme-2')?.company_network_id).not.toBe(
      one?.company_network_id,
    );
  });

  it('has the continent of its country, and degrees with their field of study', () => {
    expect(of({ location: { country_code: 'PT', city: 'Porto' } }).location).toEqual({
      city: 'Porto',
      state_code: null,
      country_code: 'PT',
      continent: 'Europe',
      postal_code: null,
      street_address: null,
    });
    const education = [
      { school_name: 'MIT', degree: 'BSc', field_of_study: 'Physics' },
      { degree: 'BSc Physics', field_of_study: 'Physics' },
      { field_of_study: 'Physics' },
      {},
    ];
    expect(of({ education }).education?.map(({ degree }) => degree)).toEqual([
      'BSc, Physics',
      'BSc Physics',
      'Physics',
      null,
    ]);
  });

  it('is current in a position without an end, unless the profile says otherwise', () => {
    const experiences = [{}, { job_end_date: '2020-01-01' }, { job_is_current: false }];
    expect(of({ experiences }).experiences.map((position) => position.job_is_current)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
