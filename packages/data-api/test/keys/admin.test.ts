import { sha256Hex } from '@sluice/kernel/digest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as Config from '../../src/config.ts';
import * as Allowance from '../../src/keys/allowance.ts';
import * as PeopleService from '../support/people-service.ts';

let service: PeopleService.PeopleService;
beforeAll(async () => {
  service = await PeopleService.start();
});
afterAll(() => service.close());

const admin = (method: string, path: string, body?: unknown, as?: string) =>
  service.admin(method, `/admin/keys${path}`, body, as);
const hour = 3_600_000;

async function made(order: object = { plan: { name: 'Start' } }): Promise<{ id: string; secret: string }> {
  const { status, body } = await admin('POST', '', order);
  expect(status).toBe(200);
  return { id: body.key.id, secret: body.secret };
}
const statusOf = async (secret: string) => (await service.keyInfo(secret)).status;

describe('the admin route', () => {
  it('is for whoever has the token, and does not exist without one', async () => {
    const { id } = await made();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', `/${id}`],
      ['PATCH', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate`],
    ] as const) {
      expect((await admin(method, path, method === 'GET' ? undefined : {}, 'wrong')).status).toBe(401);
      expect((await service.send(`/admin/keys${path}`, { method })).status).toBe(401);
    }
    expect((await admin('GET', `/${id}`)).body.key.revoked_at).toBeNull();
    const closed = await PeopleService.start([], null);
    try {
      const answer = await closed.admin('GET', '/admin/keys');
      expect([answer.status, answer.body]).toEqual([404, { success: false, message: 'Not Found' }]);
    } finally {
      await closed.close();
    }
  });

  it('wants a token that nobody can guess', () => {
    const read = (DIRECT_ADMIN_TOKEN: string) =>
      Config.read({ DATABASE_URL: 'postgres://localhost/x', DIRECT_ADMIN_TOKEN });
    expect(read(PeopleService.adminToken).adminTokenDigest).toBe(sha256Hex(PeopleService.adminToken));
    expect(read('').adminTokenDigest).toBeNull();
    for (const token of ['short', `${PeopleService.adminToken} with spaces`]) {
      expect(() => read(token)).toThrow('DIRECT_ADMIN_TOKEN must have 32 to 200 characters');
    }
  });

  it('makes a key that opens the interface, shows it once and keeps its digest alone', async () => {
    const { status, body } = await admin('POST', '', { label: 'Acme', plan: { name: 'Scale' } });
    expect(status).toBe(200);
    expect(body.key).toMatchObject({
      label: 'Acme',
      plan: { name: 'Scale', status: 'active', requests_per_second: 25, records_per_month: 5_000_000 },
      records_remaining: 5_000_000,
      next_reset_at: '2026-06-14T09:30:00.000Z',
      allowed_apis: 'all',
      revoked_at: null,
      secrets: [{ ends_at: null }],
    });
    expect((await service.keyInfo(body.secret)).body).toMatchObject({
      id: body.key.id,
      records_remaining: 5_000_000,
    });
    const shown = await admin('GET', `/${body.key.id}`);
    expect(shown.body).toEqual({ key: body.key });
    const [row] = await service.sql<{ kept: string }[]>`
      select (select string_agg(k::text, '') from direct.api_key k) || (select string_agg(s::text, '') from direct.api_secret s) as kept`;
    expect(row?.kept).not.toContain(body.secret);
    expect(row?.kept).toContain(sha256Hex(body.secret));
    expect(JSON.stringify(service.lines)).not.toContain(body.secret);
    expect(JSON.stringify(service.lines)).not.toContain(PeopleService.adminToken);
  });

  it('lists keys in the order they were made, a stretch at a time', async () => {
    const ids = [await made(), await made(), await made()].map(({ id }) => id);
    const all = (await admin('GET', '')).body.keys.map((key: { id: string }) => key.id);
    for (const id of ids) expect(all).toContain(id);
    const paged: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await admin('GET', `?limit=2${after && `&after=${after}`}`);
      if (body.keys.length === 0) break;
      expect(body.keys.length).toBeLessThanOrEqual(2);
      paged.push(...body.keys.map((key: { id: string }) => key.id));
      after = paged.at(-1) ?? '';
    }
    expect(paged).toEqual(all);
    expect((await admin('GET', '?limit=0')).status).toBe(422);
  });

  it('revokes at once, for good, and as often as it is told', async () => {
    const { id, secret } = await made();
    const { secret: second } = (await admin('POST', `/${id}/rotate`)).body;
    expect([await statusOf(secret), await statusOf(second)]).toEqual([200, 200]);
    const first = await admin('DELETE', `/${id}`);
    expect(first.body.key).toMatchObject({ revoked_at: '2026-05-14T09:30:00.000Z', secrets: [] });
    expect((await admin('DELETE', `/${id}`)).body).toEqual(first.body);
    expect([await statusOf(secret), await statusOf(second)]).toEqual([401, 401]);
    expect((await admin('POST', `/${id}/rotate`)).status).toBe(409);
  });

  it('says 404 to keys that are not there, 422 to orders that make no sense and 400 to what is no JSON', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      expect((await admin(method, `/key_nobody${path}`, method === 'GET' ? undefined : {})).status).toBe(404);
    }
    const faults = async (order: object) => (await admin('POST', '', order)).body.errors;
    expect(await faults({})).toEqual([{ field: 'plan', message: 'Required' }]);
    expect(await faults({ plan: { name: 'Scael' } })).toEqual([
      {
        field: 'plan.name',
        message:
          'A custom plan needs requests_per_second and records_per_month. Known plans: Start, Scale, Trial, Storefront',
      },
    ]);
    expect(await faults({ plan: { name: 'Start', requests_per_second: 99, records_per_month: 1 } })).toEqual([
      {
        field: 'plan.name',
        message: 'Start has fixed limits. Leave out the limits, or give the custom plan another name',
      },
    ]);
    expect(await faults({ plan: { name: 'Start' }, allowed_apis: ['/v2/jobs/compny'] })).toEqual([
      {
        field: 'allowed_apis[0]',
        message: 'Invalid value "/v2/jobs/compny". Did you mean "/v2/jobs/company"?',
      },
    ]);
    const { id } = await made();
    expect((await admin('POST', `/${id}/rotate`, { overlap_seconds: -1 })).status).toBe(422);
    expect((await admin('PATCH', `/${id}`, { status: 'dormant' })).status).toBe(422);
    const headers = {
      authorization: `Bearer ${PeopleService.adminToken}`,
      'content-type': 'application/json',
    };
    expect((await service.send('/admin/keys', { method: 'POST', headers, body: '{' })).status).toBe(400);
  });

  it('takes an empty change for what it is', async () => {
    const { id } = await made();
    const before = (await admin('GET', `/${id}`)).body;
    expect((await admin('PATCH', `/${id}`, {})).body).toEqual(before);
  });
});

describe('a rotation', () => {
  it('gives a new secret at once and ends the old one after the overlap, not before', async () => {
    const { id, secret } = await made();
    const { body } = await admin('POST', `/${id}/rotate`, { overlap_seconds: 3_600 });
    expect(body.key.secrets).toEqual([
      { made_at: '2026-05-14T09:30:00.000Z', ends_at: '2026-05-14T10:30:00.000Z' },
      { made_at: '2026-05-14T09:30:00.000Z', ends_at: null },
    ]);
    try {
      service.clock.nowMs = PeopleService.startMs + hour - 1;
      expect([await statusOf(secret), await statusOf(body.secret)]).toEqual([200, 200]);
      service.clock.nowMs += 1;
      expect([await statusOf(secret), await statusOf(body.secret)]).toEqual([401, 200]);
      expect((await admin('GET', `/${id}`)).body.key.secrets).toHaveLength(1);
    } finally {
      service.clock.nowMs = PeopleService.startMs;
    }
  });

  it('without an overlap ends every earlier secret at once, also those with a longer one', async () => {
    const { id, secret: first } = await made();
    const { secret: second } = (await admin('POST', `/${id}/rotate`)).body;
    const { secret: third } = (await admin('POST', `/${id}/rotate`, { overlap_seconds: 0 })).body;
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 200]);
  });

  it('never lengthens what an earlier one has left', async () => {
    const { id, secret } = await made();
    await admin('POST', `/${id}/rotate`, { overlap_seconds: 60 });
    await admin('POST', `/${id}/rotate`, { overlap_seconds: 86_400 });
    try {
      service.clock.nowMs = PeopleService.startMs + 60_000;
      expect(await statusOf(secret)).toBe(401);
    } finally {
      service.clock.nowMs = PeopleService.startMs;
    }
  });

  it('leaves one secret without an end, though several come at the same time', async () => {
    const { id } = await made();
    const rotations = await Promise.all(
      Array.from({ length: 12 }, () => admin('POST', `/${id}/rotate`, { overlap_seconds: 0 })),
    );
    const statuses = await Promise.all(rotations.map(({ body }) => statusOf(body.secret)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect((await admin('GET', `/${id}`)).body.key.secrets).toHaveLength(1);
  });

  it('leaves the id, the plan, the balance, the rate and the usage as they were', async () => {
    const { id, secret } = await made({
      plan: { name: 'Tiny', requests_per_second: 3, records_per_month: 9 },
    });
    const rate = async (as: string) => {
      const { body } = await service.post('/v2/utils/current-date', {}, as);
      return body.fair_usage?.rate_limit.remaining_this_second;
    };
    expect(await rate(secret)).toBe(2);
    const before = (await service.keyInfo(secret)).body;
    const { body } = await admin('POST', `/${id}/rotate`);
    expect(await rate(body.secret)).toBe(1);
    const { fair_usage: _, ...after } = (await service.keyInfo(body.secret)).body;
    expect(before).toMatchObject(after);
  });
});

describe('a plan', () => {
  it('of its own has its own rate and its own records', async () => {
    const { secret } = await made({
      plan: { name: 'Acme 2026', requests_per_second: 2, records_per_month: 7 },
    });
    const { body } = await service.keyInfo(secret);
    expect(body).toMatchObject({
      records_remaining: 7,
      max_requests_per_seconds: 2,
      active_plans: [{ name: 'Acme 2026', status: 'active' }],
    });
    const statuses = [];
    for (let turn = 0; turn < 3; turn++)
      statuses.push((await service.post('/v2/utils/current-date', {}, secret)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('without a number of records shows the largest one, never runs out and never resets', async () => {
    const { id, secret } = await made({
      plan: { name: 'Whole', requests_per_second: 100, records_per_month: 'unlimited' },
    });
    const email = { email: 'nobody@x.example' };
    const answer = await service.post('/v2/enrichment/email-to-person', email, secret);
    expect(answer.body.fair_usage).toMatchObject({
      records_used: 0,
      records_remaining: Allowance.unlimitedRecords,
      next_reset_at: null,
    });
    expect(answer.headers.get('x-records-remaining')).toBe('9007199254740991');
    try {
      service.clock.nowMs += 400 * 24 * hour;
      expect((await service.post('/v2/enrichment/email-to-person', email, secret)).status).toBe(200);
      expect((await service.keyInfo(secret)).body).toMatchObject({
        records_remaining: Allowance.unlimitedRecords,
        next_reset_at: null,
      });
    } finally {
      service.clock.nowMs = PeopleService.startMs;
    }
    expect((await admin('GET', `/${id}`)).body.key.plan.records_per_month).toBe('unlimited');
  });

  it.each([['past_due'], ['canceled'], ['expired']])(
    'that is %s opens nothing but key-info, until it is active again',
    async (status) => {
      const { id, secret } = await made();
      await admin('PATCH', `/${id}`, { status });
      const refused = await service.post('/v2/utils/current-date', {}, secret);
      expect(refused.status).toBe(402);
      expect(refused.body.fair_usage.records_remaining).toBe(200_000);
      expect((await service.keyInfo(secret)).body).toMatchObject({
        valid: false,
        active_plans: [{ status }],
      });
      await admin('PATCH', `/${id}`, { status: 'active' });
      expect((await service.post('/v2/utils/current-date', {}, secret)).status).toBe(200);
    },
  );

  it('that follows another begins a period of its own, with all of its records', async () => {
    const { id, secret } = await made({ plan: { name: 'Trial' } });
    try {
      service.clock.nowMs = PeopleService.startMs + 10 * 24 * hour;
      await admin('PATCH', `/${id}`, { plan: { name: 'Scale' } });
      expect((await service.keyInfo(secret)).body).toMatchObject({
        id,
        records_remaining: 5_000_000,
        next_reset_at: '2026-06-24T09:30:00.000Z',
        max_requests_per_seconds: 25,
        active_plans: [{ name: 'Scale', status: 'active', started_at: '2026-05-24T09:30:00.000Z' }],
      });
      await admin('PATCH', `/${id}`, {
        plan: { name: 'X', requests_per_second: 1, records_per_month: 'unlimited' },
      });
      expect((await service.keyInfo(secret)).body.records_remaining).toBe(Allowance.unlimitedRecords);
      await admin('PATCH', `/${id}`, { plan: { name: 'Start' } });
      expect((await service.keyInfo(secret)).body.records_remaining).toBe(200_000);
    } finally {
      service.clock.nowMs = PeopleService.startMs;
    }
  });
});

describe('a limit to operations', () => {
  it('opens these and refuses the rest with what to call them', async () => {
    const { id, secret } = await made({
      plan: { name: 'Start' },
      allowed_apis: ['/v2/enrichment/email-to-person'],
    });
    expect((await service.keyInfo(secret)).body.allowed_apis).toEqual(['/v2/enrichment/email-to-person']);
    expect((await service.post('/v2/enrichment/email-to-person', { email: 'a@b.de' }, secret)).status).toBe(
      200,
    );
    const refused = await service.post('/v2/utils/current-date', {}, secret);
    expect(refused.status).toBe(402);
    expect(refused.body.message).toContain('/v2/utils/current-date');
    await admin('PATCH', `/${id}`, { allowed_apis: ['/v2/utils/current-date'] });
    expect((await service.post('/v2/utils/current-date', {}, secret)).status).toBe(200);
    expect((await service.post('/v2/enrichment/email-to-person', { email: 'a@b.de' }, secret)).status).toBe(
      402,
    );
    await admin('PATCH', `/${id}`, { allowed_apis: 'all' });
    expect((await service.post('/v2/enrichment/email-to-person', { email: 'a@b.de' }, secret)).status).toBe(
      200,
    );
  });
});
