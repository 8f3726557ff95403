import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as CountryCode from '../src/filters/country-code.ts';
import * as Geography from '../src/filters/geography.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const company_network_url = SampleService.northwind;
/** Every place of a request that takes country codes. */
const places: [string, string, (codes: string[]) => object][] = [
  [
    '/v2/search/companies',
    'company.hq.country_code[0]',
    (codes) => ({ company: { hq: { country_code: codes } } }),
  ],
  [
    '/v2/search/people',
    'company.hq.country_code[0]',
    (codes) => ({ company: { hq: { country_code: codes } } }),
  ],
  [
    '/v2/search/people',
    'people.location.country_code[0]',
    (codes) => ({ people: { location: { country_code: codes } } }),
  ],
  [
    '/v2/company/tam-by-people',
    'company.hq.country_code[0]',
    (codes) => ({ company: { hq: { country_code: codes } } }),
  ],
  [
    '/v2/company/tam-by-people',
    'people.location.country_code[0]',
    (codes) => ({ people: { location: { country_code: codes } } }),
  ],
  [
    '/v2/search/employee-finder',
    'country_code[0]',
    (codes) => ({ company_network_url, country_code: codes }),
  ],
  ...['/v2/jobs/search', '/v2/company/tam-by-jobs'].flatMap((path): typeof places => [
    [
      path,
      'job.location.country_code.include[0]',
      (codes) => ({ job: { location: { country_code: { include: codes } } } }),
    ],
    [
      path,
      'job.location.country_code.exclude[0]',
      (codes) => ({ job: { location: { country_code: { exclude: codes } } } }),
    ],
    [
      path,
      'company.hq.country_code.include[0]',
      (codes) => ({ company: { hq: { country_code: { include: codes } } } }),
    ],
  ]),
  [
    '/v2/jobs/company',
    'job.location.country_code.include[0]',
    (codes) => ({ company_network_url, job: { location: { country_code: { include: codes } } } }),
  ],
  ...['/v2/search/waterfall-icp-keyword', '/api/search/waterfall-icp-real-time'].map(
    (path): (typeof places)[number] => [
      path,
      'cascade[0].location[0]',
      (codes) => ({ company_network_url, cascade: [{ include_title: [], location: codes }] }),
    ],
  ),
];

describe.each(places)('%s %s', (path, field, body) => {
  it('takes a code in any case and refuses all others with the nearest, using no records', async () => {
    const ask = (codes: string[]) => service.post(path, { max_results: 3, ...body(codes) });
    const [capitals, small] = [await ask(['DE', 'PT']), await ask(['de', 'Pt'])];
    expect(capitals.status).toBe(200);
    expect(small.body.results).toEqual(capitals.body.results);
    expect(capitals.body.results_length).toBeGreaterThan(0);
    const before = await service.remaining();
    for (const [code, meant] of [
      ['USA', 'Did you mean "US"?'],
      ['UK', 'Did you mean "GB"?'],
      ['DEU', 'Did you mean "DE"?'],
      ['Germany', 'Did you mean "DE"?'],
      ['D', 'Codes near it: DE, DJ'],
      ['XX', 'Codes near it: AX, CX, MX'],
      ['', 'Expected an ISO 3166-1 alpha-2 code of two letters'],
      ['ß', 'Expected an ISO 3166-1 alpha-2 code of two letters'],
    ] as const) {
      const { status, body } = await ask([code]);
      expect(status).toBe(422);
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0].field).toBe(field);
      expect(body.errors[0].message).toContain(meant);
    }
    expect(await service.remaining()).toBe(before);
  });
});

it('takes WORLD in a cascade in any case', async () => {
  const cascade = [{ include_title: [], location: ['world'] }];
  const { status, body } = await service.post('/v2/search/waterfall-icp-keyword', {
    company_network_url,
    cascade,
    max_results: 3,
  });
  expect([status, body.results_length]).toEqual([200, 3]);
});

it('knows every country by its name and its alpha-3 code', () => {
  for (const [code, { name, alpha_3 }] of Geography.countries) {
    expect(CountryCode.byName(name), name).toBe(code);
    expect(CountryCode.byName(alpha_3.toLowerCase()), alpha_3).toBe(code);
    expect(CountryCode.isCode(code.toLowerCase())).toBe(true);
  }
  expect(CountryCode.byName('u.s.a.')).toBe('US');
  expect(CountryCode.hint('Germny')).toContain('Did you mean "DE" (Germany)?');
});
