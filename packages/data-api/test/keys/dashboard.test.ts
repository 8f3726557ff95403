import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sumUpHours, usageReport } from '../../src/adapters/usage-report.ts';
import * as Plan from '../../src/keys/plan.ts';
import * as PeopleService from '../support/people-service.ts';

let service: PeopleService.PeopleService;
beforeAll(async () => {
  service = await PeopleService.start([
    {
      slug: 'ada',
      emails: [{ email: 'ada@shop.example', jobOrder: 0, verifiedAtMs: PeopleService.startMs }],
    },
  ]);
});
afterAll(() => service.close());
// Each test has its own minute of sign-ins.
beforeEach(() => {
  service.clock.nowMs += 61_000;
});

type Shown = { status: number; headers: Headers; text: string };

async function open(path: string, cookie = ''): Promise<Shown> {
  return read(await fetch(service.url + path, { redirect: 'manual', headers: { cookie } }));
}

async function submit(
  path: string,
  fields: Record<string, string>,
  cookie = '',
  more: Record<string, string> = {},
) {
  const headers = {
    cookie,
    origin: service.url,
    'content-type': 'application/x-www-form-urlencoded',
    ...more,
  };
  const body = new URLSearchParams(fields).toString();
  return read(await fetch(service.url + path, { method: 'POST', redirect: 'manual', headers, body }));
}

async function read(response: Response): Promise<Shown> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function signIn(credential: string): Promise<string> {
  const { status, headers } = await submit('/dashboard/sign-in', { credential });
  expect([status, headers.get('location')]).toEqual([303, '/dashboard']);
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

const operator = () => signIn(PeopleService.adminToken);
const hidden = (text: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
const secretIn = (text: string) => /sk_[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? '';

/** Creates a key in the dashboard. */
async function created(cookie: string, fields: Record<string, string>) {
  const form = hidden((await open('/dashboard', cookie)).text, 'form');
  const page = await submit('/dashboard/keys', { form, scope: 'all', ...fields }, cookie);
  return { page, form, id: `key_${form}`, secret: secretIn(page.text) };
}

describe('the sign-in of the dashboard', () => {
  it('accepts a key and the admin token, and nothing else', async () => {
    expect((await open('/dashboard')).text).toContain('API key or admin token');
    for (const credential of ['', 'wrong', `sk_${'x'.repeat(43)}`, `${PeopleService.adminToken}x`]) {
      const refused = await submit('/dashboard/sign-in', { credential });
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
      expect(refused.text).toContain('neither a valid API key nor the admin token');
    }
    expect((await open('/dashboard', await operator())).text).toContain('All keys');
    expect((await open('/dashboard', await signIn(service.key))).text).toContain('Your key');
  });

  it('keeps the session in a strict HttpOnly cookie without the credential, which ends after eight hours', async () => {
    const { headers } = await submit('/dashboard/sign-in', { credential: service.key });
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(service.key);
    const session = cookie.split(';')[0] ?? '';
    service.clock.nowMs += 8 * 3_600_000 + 1_000;
    expect((await open('/dashboard', session)).text).toContain('API key or admin token');
    expect((await open('/dashboard', session.replace('operator', 'x'))).text).toContain(
      'API key or admin token',
    );
  });

  it('ends a session with its key, and refuses a changed cookie', async () => {
    const secret = await service.issue(Plan.start);
    const session = await signIn(secret);
    const id = (await service.keyInfo(secret)).body.id;
    expect(
      (await open('/dashboard', `${session.slice(0, -1)}${session.endsWith('0') ? 1 : 0}`)).text,
    ).toContain('Sign in');
    expect((await open('/dashboard', session.replace(/=[0-9a-f]{64}/, '=operator'))).text).toContain(
      'Sign in',
    );
    await service.admin('DELETE', `/admin/keys/${id}`);
    expect((await open('/dashboard', session)).text).toContain('API key or admin token');
  });

  it('slows down guessing', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 22; attempt++)
      statuses.push((await submit('/dashboard/sign-in', { credential: `guess-${attempt}` })).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    const refused = await submit('/dashboard/sign-in', { credential: PeopleService.adminToken });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    service.clock.nowMs += 60_000;
    await operator();
  });

  it('refuses forms of other sites', async () => {
    const cookie = await operator();
    const form = hidden((await open('/dashboard', cookie)).text, 'form');
    for (const headers of [
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const refused = await submit('/dashboard/keys', { form, plan: 'Start' }, cookie, headers);
      expect(refused.status).toBe(403);
    }
    expect((await open(`/dashboard/keys/key_${form}`, cookie)).status).toBe(404);
  });

  it('serves pages without scripts that nothing may frame or cache', async () => {
    const { headers, text } = await open('/dashboard', await operator());
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script|\son\w+=/);
  });
});

describe('the operator', () => {
  it('creates a key, sees its secret once, and creates no second one by sending the form again', async () => {
    const cookie = await operator();
    const { page, form, id, secret } = await created(cookie, { label: 'Acme', plan: 'Scale' });
    expect(page.status).toBe(200);
    expect((await service.keyInfo(secret)).body).toMatchObject({ id, records_remaining: 5_000_000 });
    const again = await submit('/dashboard/keys', { form, scope: 'all', plan: 'Scale' }, cookie);
    expect(again.text).toContain('This key was created before');
    expect((await open(`/dashboard/keys/${id}`, cookie)).text + again.text).not.toContain('sk_');
    const list = await open('/dashboard', cookie);
    expect(list.text).toContain('Acme');
    expect(JSON.stringify(service.lines)).not.toContain(secret);
    expect(JSON.stringify(service.lines)).not.toContain(PeopleService.adminToken);
  });

  it('changes the plan, the status and the operations, and is told what was wrong', async () => {
    const cookie = await operator();
    const { id, secret } = await created(cookie, { plan: 'Start' });
    const custom = { plan: 'custom', plan_name: 'Big', rate: '50', records: '1,000,000', status: 'active' };
    const done = await submit(`/dashboard/keys/${id}/plan`, custom, cookie);
    expect(done.headers.get('location')).toBe(`/dashboard/keys/${id}?result=plan`);
    expect((await open(`/dashboard/keys/${id}?result=plan`, cookie)).text).toContain('The plan was changed.');
    expect((await service.keyInfo(secret)).body).toMatchObject({
      records_remaining: 1_000_000,
      max_requests_per_seconds: 50,
    });
    const wrong = await submit(`/dashboard/keys/${id}/plan`, { plan: 'custom', plan_name: 'Big' }, cookie);
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('A custom plan needs requests_per_second and records_per_month');
    await submit(`/dashboard/keys/${id}/operations`, { scope: 'only', api: '/v2/jobs/company' }, cookie);
    expect((await service.keyInfo(secret)).body.allowed_apis).toEqual(['/v2/jobs/company']);
  });

  it('rotates a key once per form, and revokes it after a confirmation', async () => {
    const cookie = await operator();
    const { id, secret } = await created(cookie, { plan: 'Start' });
    const at = `/dashboard/keys/${id}`;
    service.clock.nowMs += 1_000;
    const latest = hidden((await open(at, cookie)).text, 'latest');
    const rotated = await submit(`${at}/rotate`, { latest, overlap: '3600' }, cookie);
    const fresh = secretIn(rotated.text);
    expect((await submit(`${at}/rotate`, { latest, overlap: '0' }, cookie)).status).toBe(409);
    for (const each of [secret, fresh]) expect((await service.keyInfo(each)).status).toBe(200);
    service.clock.nowMs += 3_600_000;
    expect([(await service.keyInfo(secret)).status, (await service.keyInfo(fresh)).status]).toEqual([
      401, 200,
    ]);
    expect((await submit(`${at}/revoke`, {}, cookie)).text).toContain('Confirm it first');
    await submit(`${at}/revoke`, { sure: 'yes' }, cookie);
    expect((await service.keyInfo(fresh)).status).toBe(401);
    expect((await open(at, cookie)).text).not.toContain('Rotate the key');
  });

  it('is shown labels as text', async () => {
    const label = '<script>alert(1)</script>"\'&';
    const cookie = await operator();
    const { id } = await created(cookie, { label, plan: 'Trial' });
    for (const path of ['/dashboard', `/dashboard/keys/${id}`]) {
      const { text } = await open(path, cookie);
      expect(text).toContain('&lt;script&gt;');
      expect(text).not.toContain('<script>');
    }
  });

  it('does not exist for the holder of a key, nor without an admin token', async () => {
    const { id } = await created(await operator(), { plan: 'Trial' });
    const holder = await signIn(service.key);
    expect((await open(`/dashboard/keys/${id}`, holder)).status).toBe(401);
    expect((await submit(`/dashboard/keys/${id}/revoke`, { sure: 'yes' }, holder)).status).toBe(401);
    const forged = await PeopleService.start([], null);
    try {
      const init = {
        method: 'POST',
        headers: { origin: forged.url },
        body: new URLSearchParams({ credential: PeopleService.adminToken }),
      };
      expect((await fetch(`${forged.url}/dashboard/sign-in`, init)).status).toBe(401);
    } finally {
      await forged.close();
    }
  });
});

describe('the holder of a key', () => {
  const enrich = (secret: string) =>
    service.post(
      '/v2/enrichment/email',
      { person_network_url: 'https://www.network.example/in/ada' },
      secret,
    );

  it('sees the plan, what was used and is left, the reset, and the usage by day', async () => {
    const secret = await service.issue({ name: 'Small', requestsPerSecond: 7, recordsPerMonth: 12 });
    expect((await enrich(secret)).body.found).toBe(true);
    const { text } = await open('/dashboard', await signIn(secret));
    for (const shown of ['Small', '1 of 12', '>11<', '>7<', '1 record in 1 call of the last 30 days'])
      expect(text).toContain(shown);
    const { next_reset_at } = (await service.keyInfo(secret)).body;
    expect(text).toMatch(
      new RegExp(
        `datetime="${next_reset_at.slice(0, 16)}[^>]*>\\d+ [A-Z][a-z]+ \\d{4}, ${next_reset_at.slice(11, 16)}<`,
      ),
    );
  });

  it('rotates the key and stays signed in, also when the one before ends at once', async () => {
    const secret = await service.issue(Plan.start);
    const session = await signIn(secret);
    service.clock.nowMs += 1_000;
    const latest = hidden((await open('/dashboard', session)).text, 'latest');
    const rotated = await submit('/dashboard/rotate', { latest, overlap: '0' }, session);
    const fresh = secretIn(rotated.text);
    expect((await service.keyInfo(fresh)).status).toBe(200);
    expect((await service.keyInfo(secret)).status).toBe(401);
    const next = rotated.headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = await open('/dashboard', next);
    expect(page.text).toContain('Your key');
    expect(page.text).not.toContain(fresh);
  });

  it('cannot rotate the key with a secret that was replaced', async () => {
    const secret = await service.issue(Plan.start);
    const session = await signIn(secret);
    service.clock.nowMs += 1_000;
    const latest = hidden((await open('/dashboard', session)).text, 'latest');
    const rotated = await submit('/dashboard/rotate', { latest, overlap: '3600' }, session);
    const fresh = secretIn(rotated.text);
    service.clock.nowMs += 1_000;
    const found = await signIn(secret);
    const newest = hidden((await open('/dashboard', found)).text, 'latest');
    const refused = await submit('/dashboard/rotate', { latest: newest, overlap: '0' }, found);
    expect(refused.status).toBe(403);
    expect((await service.keyInfo(fresh)).status).toBe(200);
  });

  it('shows its page five times a second at most', async () => {
    const session = await signIn(await service.issue(Plan.start));
    service.clock.nowMs += 1_000;
    const statuses = Array.from({ length: 6 }, async () => (await open('/dashboard', session)).status);
    expect((await Promise.all(statuses)).sort()).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it.each([
    ['past_due', 'is past due. Pay the open invoice'],
    ['canceled', 'is canceled. Choose another plan'],
    ['expired', 'is expired. Choose another plan'],
  ])('with a plan that is %s is told so by the 402 and by the page that it names', async (status, says) => {
    const secret = await service.issue(Plan.start);
    const { id } = (await service.keyInfo(secret)).body;
    await service.admin('PATCH', `/admin/keys/${id}`, { status });
    const refused = await enrich(secret);
    expect(refused.status).toBe(402);
    expect(refused.body.message).toContain(says);
    expect(refused.body.message).not.toContain('limit reached');
    expect(refused.body.message).toMatch(/ at http:\/\/127\.0\.0\.1\/dashboard$/);
    expect((await open('/dashboard', await signIn(secret))).text).toContain(
      `This plan is ${status.replace('_', ' ')}`,
    );
  });
});

it('reports the same usage before and after hours are summed up', async () => {
  const secret = await service.issue(Plan.start);
  const { id } = (await service.keyInfo(secret)).body;
  const report = usageReport(service.sql);
  const since = service.clock.nowMs - 86_400_000;
  for (let hour = 0; hour < 3; hour++) {
    await service.post(
      '/v2/enrichment/email',
      { person_network_url: 'https://www.network.example/in/ada' },
      secret,
    );
    service.clock.nowMs += 3_600_000;
  }
  const before = await report.days(id, since);
  expect(before.reduce((sum, { records }) => sum + records, 0)).toBe(3);
  await Promise.all([
    sumUpHours(service.sql, service.clock.nowMs),
    sumUpHours(service.sql, service.clock.nowMs),
  ]);
  const [summed] = await service.sql<{ hours: number }[]>`
    select count(*) as hours from direct.usage_hour where key_id = ${id}`;
  expect(summed?.hours).toBeGreaterThan(1);
  expect(await report.days(id, since)).toEqual(before);
});
