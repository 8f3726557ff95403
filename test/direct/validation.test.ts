import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tamByJobs } from '../../src/direct/companies/tam-by-jobs.ts';
import { atCompany } from '../../src/direct/jobs/at-company.ts';
import * as Read from '../../src/direct/schema/read.ts';
import type { Schema } from '../../src/direct/schema/schema.ts';
import * as Wording from '../../src/direct/schema/wording.ts';

const url = 'https://www.network.example/company/a';

function faults(body: unknown, schema: Schema | null = tamByJobs.request): readonly Wording.Fault[] {
  if (schema === null) throw new Error('no schema');
  const reading = Read.read(schema, body);
  return reading.kind === 'invalid' ? reading.faults : [];
}
const messages = (body: unknown, schema?: Schema | null) =>
  faults(body, schema).map(({ field, message }) => `${field}: ${message}`);

describe('what is said of a fault', () => {
  it.each([
    [{ max_results: 0 }, 'max_results: Must be between 1 and 50'],
    [{ max_results: 2.5 }, 'max_results: Expected integer'],
    [{ max_results: '2' }, 'max_results: Expected integer'],
    [{ job: [] }, 'job: Expected object'],
    [{ job: { title: { include: 'CEO' } } }, 'job.title.include: Expected array'],
    [{ job: { title: { include: [7] } } }, 'job.title.include[0]: Expected string'],
    [{ job: { title: { include: [null] } } }, 'job.title.include[0]: Required'],
    [{ job: { title: { include: [''] } } }, 'job.title.include[0]: Must have at least 1 character'],
    [{ job: { title: { include: ['--'] } } }, 'job.title.include[0]: Must contain a letter or a digit'],
    [{ job: { title: { include: Array(51).fill('a') } } }, 'job.title.include: Must have at most 50 items'],
    [
      { job: { location: { country_code: { include: ['USA'] } } } },
      'job.location.country_code.include[0]: Must have exactly 2 characters',
    ],
    [
      { job: { seniority: { include: ['3-4'] } } },
      'job.seniority.include[0]: Invalid value "3-4". Did you mean "0-2"?',
    ],
    [
      { job: { seniority: { include: ['senior'] } } },
      'job.seniority.include[0]: Invalid value "senior". Allowed values: 0-2, 2-5, 5-10, 10+',
    ],
    [
      { job: { employment_type: { include: ['full_time'] } } },
      'job.employment_type.include[0]: Invalid value "full_time". Did you mean "FULL_TIME"?',
    ],
    [{ job: { date_posted: {} } }, 'job.date_posted.last_days: Required'],
    [{ job: { date_posted: { last_days: 3_651 } } }, 'job.date_posted.last_days: Must be between 1 and 3650'],
    [{ job: { min_per_company: 26 } }, 'job.min_per_company: Must be between 0 and 25'],
    [{ job: { employmentType: {} } }, 'job: Unknown field "employmentType". Did you mean "employment_type"?'],
    [
      { company: { employee_count: { min: 3, max: 2 } } },
      'company.employee_count: min must not be greater than max',
    ],
    [
      { company: { employee_count: { min: 980_001 } } },
      'company.employee_count.min: Must be between 0 and 980000',
    ],
    [
      { company: { size: { exclude: ['1-10'] } } },
      'company.size: Unknown field "exclude". Did you mean "include"?',
    ],
    [
      { company: { hq: { continent: [] } } },
      'company.hq: Unknown field "continent". Allowed fields: city, state, country_code',
    ],
    [{ company: { is_agency: 'no' } }, 'company.is_agency: Expected boolean'],
    [{ maxResults: 5 }, 'body: Unknown field "maxResults". Did you mean "max_results"?'],
    [{ foo: 1 }, 'body: Unknown field "foo". Did you mean "job"?'],
    [
      { completely_else: 1 },
      'body: Unknown field "completely_else". Allowed fields: job, company, max_results, cursor',
    ],
    [
      { __proto__: null, constructor: 1 },
      'body: Unknown field "constructor". Allowed fields: job, company, max_results, cursor',
    ],
    [[], 'body: Expected object'],
    ['x', 'body: Expected object'],
    [null, 'body: Required'],
  ])('%j', (body, expected) => {
    expect(messages(body)).toEqual([expected]);
  });

  it('gives the nearest of a long list and its size', () => {
    const [fault] = faults({ company: { industry: { include: ['Cloud Software'] } } });
    expect(fault?.message).toMatch(
      /^Invalid value "Cloud Software"\. Nearest of 535 allowed values: ([^,]+, ){4}[^,]+$/,
    );
    const [near] = faults({ company: { industry: { include: ['Software Developmnt'] } } });
    expect(near?.message).toBe('Invalid value "Software Developmnt". Did you mean "Software Development"?');
  });

  it('asks for what is required', () => {
    expect(messages({}, atCompany.request)).toEqual(['company_network_url: Required']);
    expect(messages({ company_network_url: null }, atCompany.request)).toEqual([
      'company_network_url: Required',
    ]);
    expect(messages({ company_network_url: url, company: {} }, atCompany.request)).toEqual([
      'body: Unknown field "company". Allowed fields: company_network_url, job, max_results, cursor',
    ]);
  });

  it('does not echo more than a little of what was sent', () => {
    const [fault] = faults({ job: { seniority: { include: ['x'.repeat(100_000)] } } });
    expect(fault?.message.length).toBeLessThan(200);
  });
});

describe('the list of faults', () => {
  it('follows the schema, an object after its fields, and lists by index', () => {
    const body = {
      extra: 1,
      cursor: 'x',
      company: { size: { include: ['1-10', 'big', 'huge'] }, is_agency: 1 },
      job: { wrong: 1, seniority: { exclude: ['?'] }, title: 7 },
      max_results: 99,
    };
    expect(faults(body).map((fault) => fault.field)).toEqual([
      'job.title',
      'job.seniority.exclude[0]',
      'job',
      'company.is_agency',
      'company.size.include[1]',
      'company.size.include[2]',
      'max_results',
      'cursor',
      'body',
    ]);
  });

  it('ends at twenty, and its summary names three', () => {
    const found = faults(
      Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`unknown_field_${index}`, 1])),
    );
    expect(found).toHaveLength(20);
    expect(Wording.summary(found)).toMatch(
      /^Invalid request: body: Unknown .*; body: .*; body: .* \(and 17 more\)$/,
    );
    expect(Wording.summary(found.slice(0, 1))).toMatch(
      /^Invalid request: body: Unknown field "unknown_field_0"\./,
    );
  });

  it('is cheap to make, however large the mistake', () => {
    const before = process.cpuUsage();
    faults({
      company: { industry: { include: Array(50).fill('z'.repeat(40)), exclude: Array(90_000).fill('z') } },
    });
    faults(Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, 1])));
    const spent = process.cpuUsage(before);
    expect((spent.user + spent.system) / 1_000).toBeLessThan(1_500);
  });
});

describe('what is accepted', () => {
  it('takes null for every optional field', () => {
    const nothing = { job: null, company: null, max_results: null, cursor: null };
    const deep = { job: { title: null, location: { city: { include: null } }, date_posted: null } };
    expect(messages(nothing)).toEqual([]);
    expect(messages(deep)).toEqual([]);
    expect(Read.read(tamByJobs.request ?? fail(), nothing)).toEqual(
      Read.read(tamByJobs.request ?? fail(), {}),
    );
  });

  it('takes 0 as no bound of a range', () => {
    expect(messages({ company: { employee_count: { min: 50, max: 0 } } })).toEqual([]);
    expect(messages({ company: { employee_count: { min: 50 } } })).toEqual([]);
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(faults(value).length).toBeLessThanOrEqual(20);
        expect(faults({ job: value, company: value }).length).toBeLessThanOrEqual(20);
      }),
      { numRuns: 500 },
    );
  });
});

function fail(): never {
  throw new Error('no schema');
}
