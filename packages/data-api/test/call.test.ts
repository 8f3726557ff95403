import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyStore } from '../src/adapters/keys.ts';
import { operations } from '../src/http/operations.ts';
import * as Key from '../src/keys/key.ts';
import * as Plan from '../src/keys/plan.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const jobs = '/v2/jobs/company';
const distribution = '/v2/enrichment/company-distribution-by-country';

describe('keys', () => {
  it('says 401 to a missing, a malformed and a revoked key, and 404 to one that was never made', async () => {
    const none = await service.send('/v2/account/key-info', {});
    expect(none.status).toBe(401);
    expect(none.body).toEqual({
      success: false,
      message: "Missing API key, please provide a valid API key in the 'x-api-key' header",
    });
    const malformed = await service.keyInfo('sk_short');
    expect(malformed.status).toBe(401);
    expect(malformed.body.message).toMatch(/^Invalid API key/);
    const revoked = await service.issue();
    await keyStore(service.sql).revoke((await service.keyOf(revoked)).id, service.clock.nowMs);
    expect((await service.keyInfo(revoked)).status).toBe(401);
    const unknown = await service.keyInfo(Key.draw());
    expect(unknown.status).toBe(404);
    expect(unknown.body).toEqual({ success: false, message: 'Not Found' });
  });

  it('shows what a key may do', async () => {
    const key = await service.issue(Plan.start);
    const { body } = await service.keyInfo(key);
    expect(body).toMatchObject({
      valid: true,
      records_remaining: 200_000,
      next_reset_at: '2026-06-14T09:30:00.000Z',
      max_requests_per_seconds: 10,
      active_plans: [{ name: 'Start', status: 'active', started_at: '2026-05-14T09:30:00.000Z' }],
    });
    expect(body.allowed_apis).toEqual(operations.map(({ path }) => path));
    expect(body.fair_usage.rate_limit).toBeUndefined();
  });

  it.each([
    [Plan.start, 10, 200_000],
    [Plan.scale, 25, 5_000_000],
    [Plan.trial, 5, 1_000],
    [Plan.storefront, 10_000, 1_000_000_000_000],
  ])('issues a key of the plan $name', async (plan, perSecond, records) => {
    const { body } = await service.keyInfo(await service.issue(plan));
    expect(body.max_requests_per_seconds).toBe(perSecond);
    expect(body.records_remaining).toBe(records);
    expect(body.active_plans[0].name).toBe(plan.name);
  });

  it('keeps a key to the operations that it was made for, and to a plan that is active', async () => {
    const narrow = await service.issue(SampleService.unlimited, ['/v2/jobs/company']);
    const body = { company_network_url: SampleService.northwind };
    expect((await service.post(jobs, body, narrow)).status).toBe(200);
    const refused = await service.post(distribution, body, narrow);
    expect(refused.status).toBe(402);
    expect(refused.body.message).toMatch(/^Fair Use limit reached\. Upgrade your plan at http/);
    expect(refused.body.fair_usage.records_used).toBe(0);
    expect((await service.keyInfo(narrow)).body.allowed_apis).toEqual(['/v2/jobs/company']);

    const overdue = await service.issue();
    const { id } = await service.keyOf(overdue);
    await service.sql`update direct.api_key set plan_status = 'past_due' where id = ${id}`;
    expect((await service.post(jobs, body, overdue)).status).toBe(402);
    expect((await service.keyInfo(overdue)).body.valid).toBe(false);
  });

  it('are of no use to a page in a browser: no origin may read a response or send a key', async () => {
    const origin = 'https://app.example';
    const read = await service.send('/v2/account/key-info', {
      headers: { origin, 'x-api-key': service.key },
    });
    const preflight = await service.send(jobs, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      },
    });
    expect([read.status, preflight.status]).toEqual([200, 404]);
    for (const { headers } of [read, preflight])
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('keeps no key, neither in the database nor in the log', async () => {
    const key = await service.issue();
    await service.post(jobs, { company_network_url: SampleService.northwind }, key);
    const [row] =
      await service.sql`select string_agg(to_jsonb(s)::text, '') as text from direct.api_secret s`;
    expect(row?.text).toContain(Key.digest(key));
    expect(row?.text).not.toContain(key);
    expect(service.lines.join('')).not.toContain(key);
  });
});

describe('every answer', () => {
  it('carries its request id and mirrors what was used', async () => {
    const answer = await service.post(jobs, { company_network_url: SampleService.northwind, max_results: 7 });
    const usage = answer.body.fair_usage;
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toBe(usage.request_id);
    expect(answer.headers.get('x-records-used')).toBe('7');
    expect(answer.headers.get('x-records-remaining')).toBe(String(usage.records_remaining));
    const line = service.lines
      .map((text) => JSON.parse(text))
      .find((entry) => entry.request_id === usage.request_id);
    expect(line).toMatchObject({ operation: 'jobs.company', status: 200, records_used: 7 });
    for (const other of [await service.send('/v2/nothing', {}), await service.post(jobs, {})]) {
      expect(other.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  it('says Not Found to an unknown path and to the wrong method', async () => {
    for (const answer of [await service.send('/v2/jobs', {}), await service.send(jobs, {})]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({ success: false, message: 'Not Found' });
    }
  });
});

describe('bodies', () => {
  const raw = (body: RequestInit['body'], type?: string) =>
    service.send(jobs, {
      method: 'POST',
      headers: { 'x-api-key': service.key, ...(type && { 'content-type': type }) },
      body,
      duplex: 'half',
    } as RequestInit);

  it('says 400 to what is not JSON', async () => {
    for (const body of ['', '{', 'hello', '\xff\xfe', new Uint8Array([0x22, 0xff, 0x22])]) {
      const answer = await raw(body, 'application/json');
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('Content-Type: application/json');
      expect(Object.keys(answer.body)).toEqual(['success', 'message']);
    }
    expect((await raw('no boundary', 'multipart/form-data')).status).toBe(400);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('says 415 to a body compressed with %s, and uses no records', async (coding, compress) => {
    const before = await service.remaining();
    const answer = await service.send(jobs, {
      method: 'POST',
      headers: { 'x-api-key': service.key, 'content-type': 'application/json', 'content-encoding': coding },
      body: new Uint8Array(compress(JSON.stringify({ company_network_url: SampleService.northwind }))),
    });
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual({
      success: false,
      message:
        'Compressed request bodies are not supported. Send the body without the header Content-Encoding',
    });
    expect(await service.remaining()).toBe(before);
  });

  it('says 413 above one MiB, whether the length was announced or not', async () => {
    const large = JSON.stringify({ company_network_url: 'x'.repeat(1024 * 1024) });
    expect((await raw(large, 'application/json')).status).toBe(413);
    expect((await raw(new Blob([large]).stream(), 'application/json')).status).toBe(413);
    const fitting = JSON.stringify({ company_network_url: SampleService.northwind }).padEnd(1024 * 1024);
    expect((await raw(fitting, 'application/json')).status).toBe(200);
    expect((await raw(new Blob([fitting]).stream(), 'application/json')).status).toBe(200);
  });

  it('takes the same request as JSON, as a form and as multipart', async () => {
    const body = {
      company_network_url: SampleService.northwind,
      job: { title: { include: ['Engineer', 'Analyst'] }, seniority: { exclude: ['10+'] } },
      max_results: 5,
    };
    const json = await service.post(jobs, body);
    const dotted = new URLSearchParams([
      ['company_network_url', SampleService.northwind],
      ['job.title.include', 'Engineer'],
      ['job.title.include', 'Analyst'],
      ['job[seniority][exclude][]', '10+'],
      ['max_results', '5'],
      ['cursor', ''],
    ]);
    const multipart = new FormData();
    multipart.set('company_network_url', SampleService.northwind);
    multipart.set('job', JSON.stringify(body.job));
    multipart.set('max_results', '5');
    expect(json.body.results_length).toBeGreaterThan(0);
    for (const answer of [await raw(dotted), await raw(multipart)]) {
      expect(answer.body.results).toEqual(json.body.results);
    }
  });

  it('refuses wrong form fields under their own names', async () => {
    const form = new FormData();
    form.set('company_network_url', SampleService.northwind);
    form.set('max_results', 'many');
    form.set('job', new Blob(['x']), 'x.txt');
    form.set('__proto__.polluted', 'yes');
    const { status, body } = await raw(form);
    expect(status).toBe(422);
    expect(body.errors.map((fault: { field: string }) => fault.field)).toEqual(
      expect.arrayContaining(['max_results', 'job', 'body']),
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('refuses an object that a form gives twice, and fields without a name', async () => {
    const twice: [string, string][] = [
      ['company_network_url', SampleService.northwind],
      ['job', '{"title":{"include":["Engineer"]}}'],
      ['job.title.include', 'Analyst'],
    ];
    expect((await raw(new URLSearchParams(twice))).body.errors).toEqual([
      { field: 'job', message: 'Expected object' },
    ]);
    const nameless = new URLSearchParams([
      ['', JSON.stringify({ company_network_url: SampleService.northwind })],
    ]);
    expect((await raw(nameless)).status).toBe(422);
  });

  it('says 415 to a form anywhere but on this operation, and to every other type, whatever is in the body', async () => {
    const asked = { company_network_url: SampleService.northwind };
    const send = (path: string, type: string, body: string) =>
      service.send(path, {
        method: 'POST',
        headers: { 'x-api-key': service.key, 'content-type': type },
        body,
      });
    const form = 'application/x-www-form-urlencoded';
    for (const [path, type, body] of [
      [distribution, form, String(new URLSearchParams(asked))],
      [distribution, form, JSON.stringify(asked)],
      [distribution, 'multipart/form-data; boundary=b', JSON.stringify(asked)],
      [distribution, 'text/plain', JSON.stringify(asked)],
      [jobs, 'text/plain', JSON.stringify(asked)],
      [jobs, 'application/jsonx', JSON.stringify(asked)],
    ] as const) {
      const answer = await send(path, type, body);
      expect(answer.status).toBe(415);
      expect(answer.body.message).toContain('Content-Type: application/json');
    }
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.api+json'])
      expect((await send(distribution, type, JSON.stringify(asked))).status).toBe(200);
    expect((await send(jobs, form, JSON.stringify(asked))).status).toBe(200);
  });

  it('takes a body without a type for JSON', async () => {
    const body = new Blob([JSON.stringify({ company_network_url: SampleService.northwind })]);
    expect((await raw(body)).status).toBe(200);
  });
});

describe('the rate limit', () => {
  it('counts each endpoint of a key on its own over a rolling second, refused bodies included', async () => {
    const key = await service.issue({ name: 'Slow', requestsPerSecond: 3, recordsPerMonth: 1_000 });
    const body = { company_network_url: SampleService.northwind, max_results: 1 };
    service.clock.nowMs += 10_000;
    const first = await service.post(jobs, body, key);
    expect(first.body.fair_usage.rate_limit).toEqual({ requests_per_second: 3, remaining_this_second: 2 });
    service.clock.nowMs += 600;
    expect((await service.post(jobs, { wrong: 1 }, key)).status).toBe(422);
    expect((await service.post(jobs, body, key)).body.fair_usage.rate_limit.remaining_this_second).toBe(0);
    const refused = await service.post(jobs, body, key);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ success: false, message: 'Rate limit exceeded, please try again later' });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(
      (await service.post(distribution, { company_network_url: SampleService.northwind }, key)).status,
    ).toBe(200);
    for (let asked = 0; asked < 5; asked++) expect((await service.keyInfo(key)).status).toBe(200);
    // 1,000 ms after the first, one place is free again; the other two were taken 600 ms later.
    service.clock.nowMs += 400;
    expect((await service.post(jobs, body, key)).status).toBe(200);
    expect((await service.post(jobs, body, key)).status).toBe(429);
  });
});

describe('health', () => {
  it('tells that the process lives and that it can serve', async () => {
    expect((await service.send('/healthz', {})).status).toBe(200);
    expect((await service.send('/readyz', {})).status).toBe(200);
  });
});
