import { describe, expect, it } from 'vitest';
import { describe as describeInterface } from '../src/http/description.ts';
import { operations } from '../src/http/operations.ts';

/** The requirement's tables, compared with the API description. `every-operation.long.ts` compares responses with it. */
type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  anyOf?: JsonSchema[];
  const?: unknown;
  enum?: unknown[];
  items?: JsonSchema;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean;
  [keyword: string]: unknown;
};

const document = JSON.parse(JSON.stringify(describeInterface('http://127.0.0.1')));
const schemas: Record<string, JsonSchema> = document.components.schemas;

function resolved(schema: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? schema : resolved(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}

/** The schema of a field, by its path in a named schema. `[]` is the item of a list. */
function at(path: string): JsonSchema {
  const [name = '', ...steps] = path.split('.');
  return steps.reduce((schema, step) => {
    const inner = notNull(resolved(schema));
    return resolved(step === '[]' ? (inner.items ?? {}) : (inner.properties?.[step] ?? {}));
  }, schemas[name] ?? {});
}

function notNull(schema: JsonSchema): JsonSchema {
  return resolved(schema.anyOf?.find((one) => one.type !== 'null') ?? schema);
}

function typeOf(field: JsonSchema): string {
  const schema = resolved(field);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const [type = '', ...others] = [schema.type ?? []].flat();
  const name = type === 'array' ? `array of ${typeOf(schema.items ?? {})}` : type;
  return [name, ...others].join(' or ');
}

/** Field names with their types. The name of a field that may be absent ends with a question mark. */
function fields(path: string): Record<string, string> {
  const { properties = {}, required = [] } = notNull(at(path));
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      required.includes(name) ? name : `${name}?`,
      typeOf(field),
    ]),
  );
}

const each = (type: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, type]));
const unlessUnknown = (type: string, ...names: string[]) => each(type, ...names.map((name) => `${name}?`));

describe('every operation', () => {
  it('has the method and the path of the requirement', () => {
    const v2 = (...paths: string[]) => paths.map((path) => `POST /v2/${path}`);
    const required = [
      'GET /v2/account/key-info',
      'POST /api/search/waterfall-icp-real-time',
      ...v2('company/tam-by-jobs', 'jobs/company', 'jobs/search', 'utils/current-date'),
      ...v2('search/people', 'search/companies', 'search/employee-finder', 'search/waterfall-icp-keyword'),
      ...v2('enrichment/email', 'enrichment/phone', 'enrichment/email-to-person'),
      ...v2('enrichment/phone-to-person', 'enrichment/company', 'enrichment/domain-to-network'),
      ...v2('enrichment/network-to-domain', 'enrichment/company-distribution-by-country'),
      ...v2('enrichment/company-distribution-by-department'),
    ];
    const served = operations.map(({ method, path }) => `${method} ${path}`);
    expect(served).toEqual(expect.arrayContaining(required));
  });

  it('is under /v2/, except the real-time waterfall, which is under /api/ without a version', () => {
    const elsewhere = operations.map(({ path }) => path).filter((path) => !path.startsWith('/v2/'));
    expect(elsewhere).toEqual(['/api/search/waterfall-icp-real-time']);
  });

  it('is a request with a response: the interface sends no events', () => {
    expect(document.webhooks).toBeUndefined();
    const methods = Object.values<Record<string, { callbacks?: object }>>(document.paths).flatMap(
      Object.values,
    );
    expect(methods).toHaveLength(operations.length);
    expect(methods.filter(({ callbacks }) => callbacks)).toEqual([]);
  });

  it('states its cost', () => {
    for (const { path, method } of operations) {
      const { description } = document.paths[path][method.toLowerCase()];
      expect(description).toMatch(/\n\nCost: (Free|1 record .*)\.$/);
    }
  });

  it('has names in snake_case only', () => {
    const names = Object.values(schemas).flatMap(function namesIn(schema: JsonSchema): string[] {
      const inner = [schema.items, ...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})];
      return [...Object.keys(schema.properties ?? {}), ...inner.flatMap((one) => (one ? namesIn(one) : []))];
    });
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
  });
});

describe('a company', () => {
  it('has 14 fields, all present and all nullable', () => {
    expect(fields('Company')).toEqual({
      ...each('string or null', 'network_url', 'name', 'about', 'industry', 'type', 'size', 'domain'),
      ...each('string or null', 'website'),
      ...each('integer or null', 'network_id', 'employees_on_network', 'followers', 'founded_year'),
      specialties: 'array of string or null',
      hq: 'object or null',
    });
  });

  it('has headquarters of six texts, all present and all nullable', () => {
    const names = ['city', 'state', 'country_code', 'country_name', 'region', 'continent'];
    expect(fields('Company.hq')).toEqual(each('string or null', ...names));
  });
});

describe('a job posting', () => {
  it('has seven fields, all present', () => {
    expect(fields('Job')).toEqual({
      ...each('string', 'date_posted', 'title', 'url', 'company_name', 'company_network_url', 'ai_summary'),
      location: 'object',
    });
  });

  it('has a location of a city and a country code', () => {
    expect(fields('Job.location')).toEqual(each('string', 'city', 'country_code'));
  });
});

describe('a profile of the real-time search', () => {
  const date = { year: 'integer', 'month?': 'string' };

  it('has its eight parts, of which certifications and languages may be absent', () => {
    expect(fields('WaterfallRealTimeAnswer.results.[]')).toEqual({
      basic_info: 'object',
      ...each('array of object', 'experience', 'education', 'what_matched'),
      ...unlessUnknown('array of object', 'certifications', 'languages'),
      ...each('integer', 'ranking', 'icp'),
    });
  });

  it('has the 25 fields of basic_info with their types', () => {
    const texts = ['fullname', 'first_name', 'last_name', 'headline', 'profile_picture_url', 'about', 'urn'];
    const pages = ['background_picture_url', 'current_company', 'current_company_urn', 'current_company_url'];
    const flags = ['is_creator', 'is_influencer', 'is_premium', 'open_to_work', 'show_follower_count'];
    const found = fields('WaterfallRealTimeAnswer.results.[].basic_info');
    expect(found).toMatchObject({
      ...unlessUnknown('string', ...texts, ...pages),
      ...unlessUnknown('boolean', ...flags),
      ...unlessUnknown('array of string', 'creator_hashtags', 'top_skills'),
      ...unlessUnknown('integer', 'created_timestamp', 'follower_count', 'connection_count'),
      ...each('string', 'public_identifier', 'profile_url'),
      'location?': 'object',
    });
    const { 'email?': mayBeAbsent, email = mayBeAbsent } = found;
    expect(email).toBe('string or null');
    expect(Object.keys(found)).toHaveLength(25);
  });

  it('has a location of country, city, whole text and country code', () => {
    const location = fields('WaterfallRealTimeAnswer.results.[].basic_info.location');
    expect(location).toEqual(unlessUnknown('string', 'country', 'city', 'full', 'country_code'));
  });

  it('has the 15 fields of a position', () => {
    const texts = ['title', 'company', 'location', 'description', 'duration', 'company_network_url'];
    const others = ['company_logo_url', 'employment_type', 'location_type', 'company_id', 'skills_url'];
    const position = 'WaterfallRealTimeAnswer.results.[].experience.[]';
    expect(fields(position)).toEqual({
      ...unlessUnknown('string', ...texts, ...others),
      ...unlessUnknown('object', 'start_date', 'end_date'),
      'skills?': 'array of string',
      is_current: 'boolean',
    });
    expect(fields(`${position}.start_date`)).toEqual(date);
    expect(fields(`${position}.end_date`)).toEqual(date);
  });

  it('has the 12 fields of an education', () => {
    const texts = ['school', 'degree', 'degree_name', 'field_of_study', 'duration', 'school_network_url'];
    const others = ['school_logo_url', 'school_id', 'description', 'activities'];
    const education = 'WaterfallRealTimeAnswer.results.[].education.[]';
    expect(fields(education)).toEqual({
      ...unlessUnknown('string', ...texts, ...others),
      ...unlessUnknown('object', 'start_date', 'end_date'),
    });
    expect(fields(`${education}.start_date`)).toEqual(date);
    expect(fields(`${education}.end_date`)).toEqual(date);
  });

  it('has certifications, languages and matches of two or three texts', () => {
    const result = 'WaterfallRealTimeAnswer.results.[]';
    expect(fields(`${result}.certifications.[]`)).toEqual(
      unlessUnknown('string', 'name', 'issuer', 'issued_date'),
    );
    expect(fields(`${result}.languages.[]`)).toEqual(unlessUnknown('string', 'language', 'proficiency'));
    expect(fields(`${result}.what_matched.[]`)).toEqual(each('string', 'value', 'key'));
  });
});

describe('the smaller objects', () => {
  it('distribution by country has its fields, and items with country, count and share', () => {
    expect(fields('DistributionByCountryAnswer')).toEqual({
      company_network_url: 'string',
      total_employees: 'integer',
      distribution: 'array of object',
      fair_usage: 'object',
    });
    expect(fields('DistributionByCountryAnswer.distribution.[]')).toEqual({
      country: 'string',
      count: 'integer',
      percentage_ratio: 'number',
    });
    const share = at('DistributionByCountryAnswer.distribution.[].percentage_ratio');
    expect(share).toMatchObject({ minimum: 0, maximum: 100 });
  });

  it('key details have their seven fields, and plans with name, status and start', () => {
    expect(fields('KeyInfo')).toMatchObject({
      valid: 'boolean',
      id: 'string',
      records_remaining: 'integer',
      next_reset_at: 'string or null',
      max_requests_per_seconds: 'integer',
      allowed_apis: 'array of string',
      active_plans: 'array of object',
    });
    expect(fields('KeyInfo.active_plans.[]')).toEqual(each('string', 'name', 'status', 'started_at'));
    for (const moment of ['next_reset_at', 'active_plans.[].started_at'])
      expect(at(`KeyInfo.${moment}`)).toMatchObject({ format: 'date-time' });
    expect(at('KeyInfo.active_plans.[].status').enum).toContain('active');
  });

  it('fair_usage has its four fields, and the rate limit only where an operation is limited', () => {
    const common = {
      ...each('integer', 'records_used', 'records_remaining'),
      next_reset_at: 'string or null',
      request_id: 'string',
    };
    expect(fields('FairUsage')).toEqual({ ...common, rate_limit: 'object' });
    expect(fields('FairUsageUnlimited')).toEqual(common);
    expect(at('FairUsageUnlimited').properties).not.toHaveProperty('rate_limit');
    expect(fields('RateLimit')).toEqual(each('integer', 'requests_per_second', 'remaining_this_second'));
    expect(at('FairUsage.next_reset_at')).toMatchObject({ format: 'date-time' });
  });

  it('an error has success false, a message, and on 422 up to 20 errors of field and message', () => {
    expect(fields('Error')).toMatchObject({
      success: 'false',
      message: 'string',
      'errors?': 'array of object',
    });
    expect(fields('Error.errors.[]')).toEqual(each('string', 'field', 'message'));
    expect(at('Error.errors')).toMatchObject({ maxItems: 20 });
  });
});

describe('a request', () => {
  const lists = { 'include?': 'array of string or null', 'exclude?': 'array of string or null' };

  it('for companies by jobs has job filters of include and exclude lists, with at most 50 items each', () => {
    expect(fields('TamByJobsRequest')).toMatchObject({
      'job?': 'object or null',
      'max_results?': 'integer or null',
      'cursor?': 'string or null',
    });
    for (const field of ['field', 'title', 'location.city', 'location.country_code', 'seniority']) {
      const filter = `TamByJobsRequest.job.${field}`;
      expect([field, fields(filter)]).toEqual([field, lists]);
      for (const list of ['include', 'exclude'])
        expect(at(`${filter}.${list}`)).toMatchObject({ maxItems: 50, default: [] });
    }
    expect(fields('TamByJobsRequest.job')).toHaveProperty('min_per_company?', 'integer or null');
  });

  it('for companies by jobs lists four levels of seniority', () => {
    const item = at('TamByJobsRequest.job.seniority.include.[]');
    expect(item.enum).toEqual(['0-2', '2-5', '5-10', '10+']);
  });

  it('for companies by jobs takes country codes of exactly two characters', () => {
    const item = at('TamByJobsRequest.job.location.country_code.include.[]');
    expect(item).toMatchObject({ type: 'string', minLength: 2, maxLength: 2 });
  });

  it('for jobs at a company has one required field, and filters of eight kinds', () => {
    expect(fields('JobsAtCompanyRequest')).toEqual({
      company_network_url: 'string',
      'job?': 'object or null',
      'max_results?': 'integer or null',
      'cursor?': 'string or null',
    });
    expect(at('JobsAtCompanyRequest.company_network_url')).toMatchObject({ minLength: 1 });
    expect(at('JobsAtCompanyRequest.max_results')).toMatchObject({ minimum: 1, maximum: 50 });
    const kinds = ['title', 'description', 'field', 'seniority', 'employment_type', 'work_arrangement'];
    expect(Object.keys(at('JobFilter').properties ?? {})).toEqual(
      expect.arrayContaining([...kinds, 'location', 'date_posted']),
    );
  });

  it('for a distribution has the company as a URI and nothing else', () => {
    const { requestBody } = document.paths['/v2/enrichment/company-distribution-by-country'].post;
    const name = requestBody.content['application/json'].schema.$ref.split('/').at(-1);
    expect(fields(name)).toEqual({ company_network_url: 'string' });
    expect(at(`${name}.company_network_url`)).toMatchObject({ format: 'uri' });
  });

  it('for the real-time waterfall has three required fields, and steps of four', () => {
    expect(fields('WaterfallRealTimeRequest')).toEqual({
      company_network_url: 'string',
      cascade: 'array of object',
      max_results: 'integer',
    });
    expect(at('WaterfallRealTimeRequest.company_network_url')).toMatchObject({ format: 'uri' });
    expect(fields('WaterfallRealTimeRequest.cascade.[]')).toEqual({
      include_title: 'array of string',
      'exclude_title?': 'array of string or null',
      'location?': 'array of string or null',
      'include_headline_search?': 'boolean or null',
    });
  });

  it('of a paged search takes max_results and a cursor that is null by default', () => {
    const paged = Object.values(schemas).filter(
      ({ properties }) => properties?.cursor && !properties.results,
    );
    expect(paged.length).toBeGreaterThanOrEqual(5);
    for (const { properties = {} } of paged) {
      expect(properties.cursor).toMatchObject({ type: ['string', 'null'], default: null });
      expect(properties.max_results).toMatchObject({ type: ['integer', 'null'], minimum: 1, maximum: 50 });
    }
  });
});

describe('a response', () => {
  const page = { results_length: 'integer', max_results: 'integer', cursor: 'string or null' };

  it('of companies by jobs has results with company and matched_jobs, and the page', () => {
    expect(fields('TamByJobsAnswer')).toEqual({ ...page, results: 'array of object', fair_usage: 'object' });
    expect(fields('TamByJobsAnswer.results.[]')).toEqual({ company: 'object', matched_jobs: 'integer' });
  });

  it('of jobs at a company has the total, the results and the page', () => {
    expect(fields('JobsAtCompanyAnswer')).toEqual({
      ...page,
      total_results: 'integer',
      results: 'array of object',
      fair_usage: 'object',
    });
  });

  it('of the real-time waterfall has the company, two sizes and the results', () => {
    expect(fields('WaterfallRealTimeAnswer')).toEqual({
      company_network_url: 'string',
      max_results: 'integer',
      results_length: 'integer',
      results: 'array of object',
    });
  });

  it('of the email lookup has found and email', () => {
    const { post } = document.paths['/v2/enrichment/email'];
    const name = (schema: JsonSchema) => schema.$ref?.split('/').at(-1) ?? '';
    expect(fields(name(post.requestBody.content['application/json'].schema))).toEqual({
      person_network_url: 'string',
    });
    expect(fields(name(post.responses['200'].content['application/json'].schema))).toMatchObject({
      found: 'boolean',
      email: 'string or null',
    });
  });

  it('is closed, as every object of the description', () => {
    const objects = Object.values(schemas).filter(({ type }) => type === 'object');
    expect(objects.length).toBeGreaterThan(30);
    expect(objects.filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([]);
  });
});
