import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as LiveSource from '../support/live-source.ts';
import * as ProfileFields from '../support/profile-fields.ts';
import * as SampleService from '../support/sample-service.ts';

const keyword = '/v2/search/waterfall-icp-keyword';
const realTime = '/api/search/waterfall-icp-real-time';
const { northwind } = SampleService;

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(async () => {
  await LiveSource.closeAll();
  await service.close();
});

const search = (title: string, max_results = 5, more: object = {}) => ({
  company_network_url: northwind,
  cascade: [{ include_title: [title], location: ['WORLD'], ...more }],
  max_results,
});

describe('the stand-in of the sample', () => {
  it('knows people whom the keyword search does not find, and the call costs one record for each', async () => {
    const stored = await service.post(keyword, search('Chief AI Officer'));
    expect(stored.body).toMatchObject({ results_length: 0, results: [] });
    const before = await service.remaining();
    const { status, headers, body } = await service.post(realTime, search('Chief AI Officer'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ company_network_url: northwind, results_length: 1 });
    const [found] = body.results;
    expect(found).toMatchObject({
      ranking: 1,
      icp: 1,
      what_matched: [{ value: 'Chief AI Officer', key: 'job_title' }],
      basic_info: { current_company: 'Northwind Analytics', current_company_url: northwind },
    });
    expect(found.experience[0]).toMatchObject({ title: 'Chief AI Officer', is_current: true });
    expect(headers.get('x-records-used')).toBe('1');
    expect(before - (await service.remaining())).toBe(1);
    const person = await service.post('/v2/enrichment/person', {
      person_network_url: found.basic_info.profile_url,
    });
    expect(person.body.found).toBe(false);
  });

  it('knows newer positions of stored people, and no longer those who left', async () => {
    const stored = await everyone(keyword, ({ person }) => [
      person.network_url,
      person.experiences.find((each: SampleService.Body) => each.job_is_current)?.job_title,
    ]);
    const live = await everyone(realTime, ({ basic_info, experience }) => [
      basic_info.profile_url,
      experience.find((each: SampleService.Body) => each.is_current).title,
    ]);
    const both = [...stored].filter(([url]) => live.has(url));
    const changed = both.filter(([url, title]) => live.get(url) !== title);
    expect(changed.length).toBeGreaterThan(0);
    expect(both.length).toBeGreaterThan(changed.length);
    expect(stored.size).toBeGreaterThan(both.length);
  });

  async function everyone(path: string, read: (result: SampleService.Body) => [string, string]) {
    const { body } = await service.post(path, search('Engineer', 100));
    expect(body.results_length).toBeLessThan(100);
    return new Map<string, string>(body.results.map(read));
  }

  it('finds nobody at a company that it does not know, for nothing', async () => {
    const company_network_url = 'https://www.network.example/company/nobody-at-all';
    const { body, headers } = await service.post(realTime, { ...search('CEO'), company_network_url });
    expect(body).toMatchObject({ company_network_url, results: [] });
    expect(headers.get('x-records-used')).toBe('0');
  });

  it('fills every field of a profile for somebody', async () => {
    const { body } = await service.post(realTime, {
      company_network_url: northwind,
      cascade: [{ include_title: [] }],
      max_results: 100,
    });
    const filled = new Set<string>();
    for (const result of body.results) ProfileFields.fieldsOf(result, '', filled);
    expect(ProfileFields.requiredFields.filter((field) => !filled.has(field))).toEqual([]);
  });
});

describe('a live source over HTTP', () => {
  it('receives one search per step with the key, and is not asked again while its response is cached', async () => {
    const source = await LiveSource.withSource(
      service,
      ({ include_title }) => ({
        body: { profiles: include_title[0] === 'Zoologist' ? [] : [LiveSource.profile('ana', 'Botanist')] },
      }),
      { costMicros: 4_000, cacheMs: 60_000 },
    );
    const body = {
      company_network_url: northwind,
      cascade: [
        { include_title: ['Zoologist'], exclude_title: ['Intern'], location: ['PT'] },
        { include_title: ['Botanist'], location: ['WORLD'], include_headline_search: true },
        { include_title: ['Never'] },
      ],
      max_results: 3,
    };
    const before = await service.remaining();
    const first = await source.ask(body);
    expect(first.body.results.map((each: SampleService.Body) => [each.icp, each.what_matched])).toEqual([
      [
        2,
        [
          { value: 'Botanist', key: 'job_title' },
          { value: 'Botanist', key: 'headline' },
        ],
      ],
    ]);
    expect(source.received.map(({ body: sent }) => sent)).toEqual([
      {
        company_network_url: northwind,
        include_title: ['Zoologist'],
        exclude_title: ['Intern'],
        location: ['PT'],
        include_headline_search: false,
        max_results: 3,
      },
      {
        company_network_url: northwind,
        include_title: ['Botanist'],
        exclude_title: [],
        location: [],
        include_headline_search: true,
        max_results: 3,
      },
    ]);
    expect(source.received[0]?.headers).toMatchObject({
      'x-api-key': 'source-key',
      'x-request-id': first.headers.get('x-request-id'),
    });
    expect(await source.metric('cost_usd_total')).toBe(0.004);

    expect((await source.ask({ ...body, max_results: 2 })).body.results).toEqual(first.body.results);
    expect(source.received).toHaveLength(2);
    expect(before - (await service.remaining())).toBe(2);
    expect(await source.metric('profiles_total{from="cache"}')).toBe(1);
    expect(await source.metric('cost_usd_total')).toBe(0.004);

    service.clock.nowMs += 60_000;
    await source.ask(body);
    expect(source.received).toHaveLength(4);
    expect(await source.metric('cost_usd_total')).toBe(0.008);
  });

  it('cannot add people who do not match or work elsewhere', async () => {
    const elsewhere = LiveSource.profile('elsewhere', 'Botanist');
    elsewhere.experiences[0].company_network_url = 'https://www.network.example/company/halden-energy';
    const former = LiveSource.profile('former', 'Botanist');
    Object.assign(former.experiences[0], { job_is_current: false, job_end_date: '2024-01-01' });
    const few = LiveSource.profile('few', 'Botanist', { connections_count: 3 });
    const right = LiveSource.profile('right', 'Senior Botanist');
    const profiles = [elsewhere, former, LiveSource.profile('other', 'Zoologist'), few, right, right];
    const source = await LiveSource.withSource(service, () => ({ body: { profiles } }));
    const { body, headers } = await source.ask(search('Botanist', 10));
    expect(
      body.results.map((each: SampleService.Body) => [each.ranking, each.basic_info.public_identifier]),
    ).toEqual([
      [1, 'right'],
      [2, 'few'],
    ]);
    expect(headers.get('x-records-used')).toBe('2');
  });

  it('may know a company that the data set lacks', async () => {
    const company_network_url = 'https://www.network.example/company/brand-new';
    const person = LiveSource.profile('founder', 'Botanist');
    Object.assign(person.experiences[0], { company_name: 'Brand New', company_network_url });
    const source = await LiveSource.withSource(service, () => ({ body: { profiles: [person] } }));
    const { body } = await source.ask({ ...search('Botanist'), company_network_url });
    expect(body.results[0].basic_info).toMatchObject({
      current_company: 'Brand New',
      current_company_url: company_network_url,
    });
  });

  it('may return invalid profiles, which are left out', async () => {
    const source = await LiveSource.withSource(service, () => ({
      body: { profiles: [{ name: 'Ana' }, LiveSource.profile('valid', 'Botanist')] },
    }));
    expect((await source.ask(search('Botanist'))).body.results_length).toBe(1);
    expect(await source.metric('faulty_responses_total')).toBe(1);
    expect(service.lines.join('')).toContain('profiles[0].network_url: Required');
  });

  it.each<[string, LiveSource.Reply, string]>([
    ['an error', { status: 500, body: {} }, 'failed'],
    ['a refused key', { status: 401, body: {} }, 'refused'],
    ['a redirect', { status: 307, body: {}, headers: { location: '/elsewhere' } }, 'failed'],
    ['text', { body: 'Profiles' }, 'invalid'],
    ['another object', { body: { people: [] } }, 'invalid'],
    ['only invalid profiles', { body: { profiles: [{}] } }, 'invalid'],
    ['too much', { body: `{"profiles":[]${' '.repeat(1_100_000)}}` }, 'invalid'],
  ])('that returns %s makes the call fail without using a record', async (_, reply, result) => {
    const source = await LiveSource.withSource(service, () => reply, { responseBytesMax: 1_000_000 });
    const before = await service.remaining();
    const { status, headers, body } = await source.ask(search('Botanist'));
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('5');
    expect(body).toEqual({
      success: false,
      message: expect.stringMatching(/^The source of live profiles is .*\. No records were used\./),
    });
    expect(await source.metric(`requests_total{result="${result}"}`)).toBe(1);
    expect(await service.remaining()).toBe(before);
    expect(service.lines.join('')).not.toContain('source-key');
  });

  it('is asked again after a failure', async () => {
    let calls = 0;
    const source = await LiveSource.withSource(service, () =>
      ++calls === 1
        ? { status: 503, body: {} }
        : { body: { profiles: [LiveSource.profile('ana', 'Botanist')] } },
    );
    expect((await source.ask(search('Botanist'))).status).toBe(503);
    expect((await source.ask(search('Botanist'))).body.results_length).toBe(1);
  });

  it('that never answers makes the call fail at its deadline without using a record', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    LiveSource.onClose(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    // One call holds the only place, and the other waits for it: both end at their own deadline.
    const source = await LiveSource.withUrl(service, `http://127.0.0.1:${port}/`, {
      deadlineMs: 400,
      requestsMax: 1,
    });
    const before = await service.remaining();
    const startedMs = performance.now();
    const answers = await Promise.all(['Botanist', 'Zoologist'].map((title) => source.ask(search(title))));
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    for (const { status, body } of answers) {
      expect(status).toBe(503);
      expect(body.message).toContain('did not answer in time. No records were used');
    }
    expect(await source.metric('requests_total{result="slow"}')).toBe(2);
    expect(await source.metric('requests_running')).toBe(0);
    expect(await service.remaining()).toBe(before);
  });

  it('receives at most the set number of requests at once, and equal searches share one', async () => {
    const held: (() => void)[] = [];
    let running = 0;
    let runningMax = 0;
    let arrival = Promise.withResolvers<void>();
    const source = await LiveSource.withSource(
      service,
      async () => {
        runningMax = Math.max(runningMax, ++running);
        const { promise, resolve } = Promise.withResolvers<void>();
        held.push(resolve);
        arrival.resolve();
        await promise;
        running--;
        return { body: { profiles: [LiveSource.profile('ana', 'Botanist Zoologist')] } };
      },
      { requestsMax: 2 },
    );
    const calls = ['Botanist', 'Botanist', 'Zoologist', '[Botanist Zoologist]', 'Bot', 'Zoo', 'Ana'].map(
      (title) => source.ask(search(title)),
    );
    const [searches, places] = [6, 2];
    for (let released = 0; released < searches; released++) {
      while (held.length < Math.min(released + places, searches)) {
        await arrival.promise;
        arrival = Promise.withResolvers<void>();
      }
      if (released === 0) expect(await source.metric('requests_running')).toBe(places);
      held[released]?.();
    }
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
    expect(answers.map(({ body }) => body.results_length)).toEqual([1, 1, 1, 1, 0, 0, 0]);
    expect(runningMax).toBe(places);
    expect(source.received).toHaveLength(searches);
  });
});

describe('without a live source', () => {
  it('own data make the operation unavailable, and neither the description nor the key promises it', async () => {
    const [row] = await service.sql<{ digests: object }[]>`
      select digests from direct.data_set_version where live`;
    await service.sql`update direct.data_set_version set digests = '{"people": "a file"}' where live`;
    const program = await service.startAnother({});
    try {
      const headers = { 'x-api-key': service.key, 'content-type': 'application/json' };
      const send = (path: string, init: object = {}) => fetch(program.url + path, { headers, ...init });
      const before = await service.remaining();
      const body = JSON.stringify(search('CEO'));
      const response = await send(realTime, { method: 'POST', body });
      expect(response.status).toBe(501);
      expect(await response.json()).toEqual({
        success: false,
        message: expect.stringContaining('no source of live profiles. No records were used.'),
      });
      expect(await service.remaining()).toBe(before);
      expect(await (await send('/openapi.json')).text()).not.toMatch(/real-time|RealTime/);
      const info = (await (await send('/v2/account/key-info')).json()) as SampleService.Body;
      expect(info.allowed_apis).not.toContain(realTime);
      expect(info.allowed_apis).toContain(keyword);
    } finally {
      await program.stop();
      await service.sql`update direct.data_set_version set digests = ${service.sql.json(row?.digests as never)} where live`;
    }
  });
});
