import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tamByJobs } from '../src/companies/tam-by-jobs.ts';
import { operations } from '../src/http/operations.ts';
import { atCompany } from '../src/jobs/at-company.ts';
import { waterfallRealTime } from '../src/people/waterfall-real-time.ts';
import * as Read from '../src/schema/read.ts';
import type { Node, Schema } from '../src/schema/schema.ts';
import * as Schemas from '../src/schema/schema.ts';
import * as Wording from '../src/schema/wording.ts';

const url = 'https://www.network.example/company/a';

function faults(body: unknown, schema: Schema | null = tamByJobs.request): readonly Wording.FieldError[] {
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
    [{ job: { title: { include: [null, 7] } } }, 'job.title.include[1]: Expected string'],
    [{ job: { title: { include: [''] } } }, 'job.title.include[0]: Must have at least 1 character'],
    [{ job: { title: { include: ['--'] } } }, 'job.title.include[0]: Must contain a letter or a digit'],
    [{ job: { title: { include: Array(51).fill('a') } } }, 'job.title.include: Must have at most 50 items'],
    [
      { job: { location: { country_code: { include: ['USA'] } } } },
      'job.location.country_code.include[0]: Invalid country code "USA". Did you mean "US"?',
    ],
    [
      { job: { seniority: { include: ['3-4'] } } },
      'job.seniority.include[0]: Invalid value "3-4". Allowed values: 0-2, 2-5, 5-10, 10+',
    ],
    [
      { job: { seniority: { include: ['senior'] } } },
      'job.seniority.include[0]: Invalid value "senior". Allowed values: 0-2, 2-5, 5-10, 10+',
    ],
    [
      { job: { employment_type: { include: ['full_time'] } } },
      'job.employment_type.include[0]: Invalid value "full_time". Did you mean "FULL_TIME"?',
    ],
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
    [{ foo: 1 }, 'body: Unknown field "foo". Allowed fields: job, company, max_results, cursor'],
    [{ jobs: 1 }, 'body: Unknown field "jobs". Did you mean "job"?'],
    [{ foo: null }, 'body: Unknown field "foo". Allowed fields: job, company, max_results, cursor'],
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

  it('has a summary of one line, whatever was sent', () => {
    const lines = 'a\nb\r\nc\u2028d\u0085e';
    for (const body of [
      { [lines]: 1 },
      { job: { seniority: { include: [lines, lines] } } },
      { cursor: lines },
    ])
      expect(Wording.summary(faults(body))).not.toMatch(/[\n\r\u2028\u2029\u0085]/);
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
  it.each(operations.filter(({ request }) => request).map(({ path, request }) => [path, request as Schema]))(
    'null means not given in every field of %s, however deep, and as an item of a list',
    (_, request) => {
      const required = Object.fromEntries(
        Object.entries<Node>(Schemas.fieldsOf(request) as Record<string, Node>).flatMap(([name, node]) =>
          node.kind === 'optional' ? [] : [[name, examples[name]]],
        ),
      );
      const without = Read.read(request, required);
      expect(without.kind).toBe('valid');
      for (const body of withNulls(request, required)) {
        expect(Read.read(request, body), JSON.stringify(body)).toEqual(without);
      }
    },
  );

  it('null items do not count as items where a list needs one', () => {
    expect(messages({ ...examples, cascade: [null], max_results: 1 }, waterfallRealTime.request)[0]).toBe(
      'cascade: Must have at least 1 item',
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

/** Values of required fields. */
const examples: Record<string, unknown> = {
  company_network_url: url,
  person_network_url: 'https://www.network.example/in/a',
  cascade: [{ include_title: ['CEO'] }],
  max_results: 10,
  email: 'a@b.example',
  phone: '+12065550100',
  domain: 'b.example',
};

/** Bodies that set one optional field of the schema to null, or a list of it to null items. */
function* withNulls(node: Node, body: object): Generator<object> {
  if (node.kind !== 'object') return;
  for (const [name, field] of Object.entries(node.fields)) {
    if (field.kind !== 'optional') continue;
    yield { ...body, [name]: null };
    if (field.inner.kind === 'list') yield { ...body, [name]: [null, null] };
    for (const inner of withNulls(field.inner, {})) yield { ...body, [name]: inner };
  }
}
