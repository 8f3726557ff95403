import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as File from '../../src/catalog/file.ts';
import { faults, shop, todoYaml } from './todo.ts';

describe('a good catalogue', () => {
  test('is read into services, operations and plans', () => {
    const { services, operations, plans } = shop();
    expect(services.map(({ slug, unit, price }) => [slug, unit, price])).toEqual([
      ['todos', 'todo', 2000],
      ['writing', 'call', 10_000],
      ['account', 'call', 0],
    ]);
    expect(operations.map(({ id, service }) => `${id} ${service.slug}`)).toEqual([
      'GET /v1/todos todos',
      'GET /v1/todos/{id} todos',
      'POST /v1/todos/search todos',
      'PUT /v1/todos/{id} writing',
      'DELETE /v1/todos/{id} writing',
      'GET /v1/account/key-info account',
    ]);
    expect(operations[0]).toMatchObject({
      method: 'GET',
      path: '/v1/todos',
      units: { kind: 'pointer', pointer: ['todos'] },
      unitsMax: { kind: 'pointer', pointer: ['limit'], default: 20, ceiling: 100 },
      answeredBy: 'upstream',
      stream: null,
    });
    expect(operations[2]?.unitsMax).toEqual({ kind: 'fixed', units: 5 });
    expect(operations[3]).toMatchObject({
      units: { kind: 'fixed', units: 1 },
      unitsMax: { kind: 'fixed', units: 1 },
    });
    expect(operations[5]?.answeredBy).toBe('storefront');
    expect(plans[3]).toEqual({
      id: 'scale',
      kind: 'subscription',
      name: 'Scale up',
      description: 'For the busy.',
      covers: new Set(['todos']),
      requestsPerSecond: 25,
      price: 499_000_000,
      every: 'year',
      included: { asset: 'unit', amount: 5_000_000 },
      rollover: true,
      graceDays: 3,
    });
  });

  test('gets its defaults', () => {
    const { upstream, storefront, services, plans } = shop(
      ['  description: Todos by the piece.\n', ''],
      [', value: "Bearer {key}"', ''],
      ['    unit: todo\n', ''],
      [', min_usd: "5.00", max_usd: "100.00"', ''],
    );
    expect(upstream).toEqual({
      description: '',
      key: { header: 'authorization', value: '{key}' },
      timeoutMs: 30_000,
      readinessPath: null,
      mount: '',
      responseFields: [],
    });
    expect(storefront.description).toBe('');
    expect(services[0]).toMatchObject({ unit: 'result', description: '' });
    expect(plans[0]).toMatchObject({
      name: 'Trial',
      requestsPerSecond: 10,
      includedWhenClaimed: { asset: 'unit', amount: 0 },
    });
    expect(plans[1]).toMatchObject({ min: 500_000, max: 1_000_000_000, covers: '*' });
    expect(plans[2]).toMatchObject({ rollover: false, graceDays: 3 });
    expect(plans.every((plan) => plan.description !== '')).toBe(true);
  });

  test('may repeat itself by anchors', () => {
    const { operations } = shop(
      ['units_max: { pointer', 'units_max: &page { pointer'],
      ['units_max: 5', 'units_max: *page'],
    );
    expect(operations[2]?.unitsMax).toEqual(operations[0]?.unitsMax);
  });

  test('names its description relative to itself', () => {
    const { upstream } = shop(['upstream:\n', 'upstream:\n  description: ../api/todo.yaml\n']);
    expect(upstream.description).toBe(join(process.cwd(), 'api/todo.yaml'));
  });
});

/** For each mistake: the text that is replaced, its replacement, and the one fault that this causes. */
const mistakes: Record<string, [from: string, to: string, fault: string]> = {
  'a key that is misspelt': [
    '    price_usd: "0.002"',
    '    price_usd: "0.002"\n    descripton: x',
    '12:5 services[0].descripton | descripton is not an allowed key here. Did you mean "description"?',
  ],
  'a key from nowhere': [
    'upstream:\n',
    'upstream:\n  colour: red\n',
    '6:3 upstream.colour | colour is not an allowed key here. Allowed keys: description, key, timeout_ms, readiness_path, mount, response_fields, limits',
  ],
  'a key twice': [
    '    name: Todos\n',
    '    name: Todos\n    name: T\n',
    '10:5  | the key name occurs twice in one mapping: keep one',
  ],
  'a key that is missing': [
    '    price_usd: "0.002"\n',
    '',
    '8:5 services[0].price_usd | price_usd is missing: the price of one unit in USD, up to six decimals',
  ],
  'a key left empty': [
    'name: Todos\n',
    'name:\n',
    '9:5 services[0].name | name is empty: write text, such as "Jobs at one company"',
  ],
  'a price that is a number': [
    '"0.002"',
    '0.002',
    '11:5 services[0].price_usd | price_usd is not text: put it in quotes, such as "0.001"',
  ],
  'a price with seven decimals': [
    '"0.002"',
    '"0.0000001"',
    '11:5 services[0].price_usd | price_usd is "0.0000001": write a decimal amount in quotes with at most six decimals, such as "0.001"',
  ],
  'a price that is no decimal': [
    '"0.002"',
    '"-1e3"',
    '11:5 services[0].price_usd | price_usd is "-1e3": write a decimal amount in quotes with at most six decimals, such as "0.001"',
  ],
  'a price above a billion': [
    '"0.01"',
    '"2000000000"',
    '24:5 services[1].price_usd | price_usd "2000000000" is above 1000000000 USD: lower it',
  ],
  'a call that could cost above a billion': [
    '"0.002"',
    '"20000000"',
    '15:9 services[0].operations[0].units_max | units_max lets one call cost over 1000000000 USD: lower it or the price',
  ],
  'two services of one slug': [
    'slug: writing',
    'slug: todos',
    '21:5 services[1].slug | slug "todos" is taken by services[0].slug: choose another',
  ],
  'two plans of one id': [
    'id: start',
    'id: credit',
    '41:7 plans[2].id | id "credit" is taken by plans[1].id: choose another',
  ],
  'a slug in capitals': [
    'slug: writing',
    'slug: Writing Todos',
    '21:5 services[1].slug | slug is "Writing Todos": write lower-case letters, digits and single hyphens, such as company-jobs',
  ],
  'one operation sold twice': [
    'PUT /v1/todos/{id}',
    'GET /v1/todos/{todo}',
    '26:9 services[1].operations[0].call | call GET /v1/todos/{todo} is sold already by services[0].operations[1].call: keep one',
  ],
  'templates that take the same path': [
    'PUT /v1/todos/{id}',
    'GET /v1/{list}/urgent',
    '26:9 services[1].operations[0].call | call /v1/{list}/urgent and /v1/todos/{id} of services[0].operations[1].call can take the same path and neither is the closer match: fix a segment of one',
  ],
  'a method in lower case': [
    'PUT /v1/todos/{id}',
    'put /v1/todos/{id}',
    '26:9 services[1].operations[0].call | call is "put /v1/todos/{id}": write GET, POST, PUT, PATCH or DELETE, one space and a path that starts with "/", such as POST /v2/jobs/company',
  ],
  'a dot segment': [
    'PUT /v1/todos/{id}',
    'PUT /v1/../admin',
    '26:9 services[1].operations[0].call | call /v1/../admin has a dot segment: write the path that it leads to',
  ],
  'an empty segment': [
    'PUT /v1/todos/{id}',
    'PUT /v1//todos',
    '26:9 services[1].operations[0].call | call /v1//todos has an empty segment: write one "/" only',
  ],
  'a query in a path': [
    'PUT /v1/todos/{id}',
    'PUT /v1/todos?all=1',
    '26:9 services[1].operations[0].call | call /v1/todos?all=1 has a query or a fragment: leave it out, callers send their own',
  ],
  'two parameters without text between them': [
    'PUT /v1/todos/{id}',
    'PUT /v1/todos/{id}{part}',
    '26:9 services[1].operations[0].call | call /v1/todos/{id}{part} has "{id}{part}": write a parameter as {id}, and text between two of them, as in {lat},{lng}',
  ],
  'an escape in a path': [
    'PUT /v1/todos/{id}',
    'PUT /v1/%74odos',
    `26:9 services[1].operations[0].call | call /v1/%74odos has "%74odos": use letters, digits and -._~!$&'()*+,;=:@`,
  ],
  "a path of the storefront's own": [
    'PUT /v1/todos/{id}',
    'PUT /plans/{id}',
    '26:9 services[1].operations[0].call | call /plans/{id} is where the storefront has its own routes (/plans): set upstream.mount, the path under which the shop has the API',
  ],
  'a path that takes everything': [
    'PUT /v1/todos/{id}',
    'PUT /{any}/todos',
    "26:9 services[1].operations[0].call | call /{any}/todos begins with a parameter, which would take the storefront's own routes too: set upstream.mount",
  ],
  'units that are no pointer': [
    'units: /found',
    'units: found',
    '19:9 services[0].operations[2].units | units is "found": write a JSON Pointer into the answer that starts with "/", such as /results_length, or a whole number',
  ],
  'a pointer with a bad escape': [
    'pointer: /limit',
    'pointer: /lim~it',
    '15:22 services[0].operations[0].units_max.pointer | pointer is "/lim~it": write a JSON Pointer into the request that starts with "/", such as /max_results',
  ],
  'units that are a fraction': [
    'units: /found',
    'units: 1.5',
    '19:9 services[0].operations[2].units | units is not text or a whole number: write text or a whole number, such as "/results_length"',
  ],
  'no limit on the units': [
    '        units_max: 5\n',
    '',
    '18:9 services[0].operations[2].units_max | units_max is missing: say how many units one answer can carry, as units is read from the answer',
  ],
  'a limit on fixed units': [
    '      - call: DELETE',
    '        units_max: 2\n      - call: DELETE',
    '28:9 services[1].operations[0].units_max | units_max does not go with a fixed number of units: leave it out, each success costs 1',
  ],
  'a default above its ceiling': [
    'default: 20',
    'default: 200',
    '15:39 services[0].operations[0].units_max.default | default 200 is above the ceiling 100: raise the ceiling or lower the default',
  ],
  'a paid call that the storefront answers': [
    'units: 0\n        answered_by',
    'units: 1\n        answered_by',
    '37:9 services[2].operations[0].answered_by | answered_by storefront is only for a GET with units: 0: make it so or leave answered_by out',
  ],
  'a trial that includes nothing': [
    ', included: 25',
    '',
    '39:5 plans[0].included | included is missing: free units of every new account, or dollars as included_usd',
  ],
  'a plan that includes units and dollars': [
    'included: 25',
    'included: 25, included_usd: "5.00"',
    '39:71 plans[0].included_usd | included_usd cannot be used with included: a plan includes either units or dollars: remove one of the two',
  ],
  'dollars that are a number': [
    'included: 25',
    'included_usd: 5',
    '39:57 plans[0].included_usd | included_usd is not text: put it in quotes, such as "20.00"',
  ],
  'no dollars at all': [
    'included: 25',
    'included_usd: "0.00"',
    '39:57 plans[0].included_usd | included_usd "0.00" includes nothing: write an amount above 0',
  ],
  'more dollars than a plan includes': [
    'included: 25',
    'included_usd: "1000000.01"',
    '39:57 plans[0].included_usd | included_usd "1000000.01" is above 1000000 USD: lower it',
  ],
  'units for a claim beside dollars': [
    'included: 25',
    'included_usd: "5.00", included_when_claimed: 5',
    '39:79 plans[0].included_when_claimed | included_when_claimed cannot be used with included_usd: a trial that includes dollars gives more of them: write included_usd_when_claimed',
  ],
  'a trial once for each card and network address': [
    'included: 25',
    'included: 25, once_per: [card, address]',
    '39:71 plans[0].once_per | once_per has card and address: a card is known after its payment, when there is no network address to check. Remove one of the two',
  ],
  'a trial once for something unknown': [
    'included: 25',
    'included: 25, once_per: [phone]',
    '39:82 plans[0].once_per[0] | once_per[0] is "phone". Allowed values: email, card, wallet, address',
  ],
  'a limit in units of a trial of dollars': [
    'included: 25',
    'included_usd: "5.00", all_per_hour: 5',
    '39:79 plans[0].all_per_hour | all_per_hour cannot be used with included_usd: a trial of dollars is limited in dollars: write all_usd_per_hour',
  ],
  'a plan of no kind': [
    'kind: trial',
    'kind: trail',
    '39:18 plans[0].kind | kind is "trail". Did you mean "trial"?',
  ],
  'a second trial': [
    'plans:\n',
    'plans:\n  - { id: taste, kind: trial, covers: "*", included: 1 }\n',
    '40:18 plans[1].kind | kind trial is taken by plans[0]: a shop has at most one such plan',
  ],
  'a second recommended plan': [
    'plans:\n',
    'plans:\n  - { id: more, kind: subscription, covers: "*", price_usd: "1.00", every: month, included: 1, recommended: true }\n  - { id: most, kind: subscription, covers: "*", price_usd: "2.00", every: month, included: 1, recommended: true }\n',
    '40:96 plans[1].recommended | recommended is taken by plans[0]: recommend one plan',
  ],
  'a second accountLeases of credit': [
    'kind: subscription, covers: "*", price_usd: "99.00", every: month, included: 200000',
    'kind: credit, covers: "*"',
    '41:18 plans[2].kind | kind credit is taken by plans[1]: a shop has at most one such plan',
  ],
  'a key of another kind of plan': [
    'included: 25',
    'included: 25, min_usd: "1.00"',
    '39:71 plans[0].min_usd | min_usd is not an allowed key here. Allowed keys: id, kind, name, description, covers, requests_per_second, recommended, retired, included, included_usd, included_when_claimed, included_usd_when_claimed, once_per, all_per_hour, all_usd_per_hour',
  ],
  'a plan that covers no service': [
    'covers: [todos, account]',
    'covers: [todo, account]',
    '39:40 plans[0].covers[0] | covers[0] "todo" is not a service. Did you mean "todos"?',
  ],
  'covers that is a bare name': [
    'covers: [todos, account]',
    'covers: todos',
    '39:31 plans[0].covers | covers is "todos": write "*" for all services or a list of slugs, such as [company-jobs]',
  ],
  'credit below the least charge': [
    'min_usd: "5.00"',
    'min_usd: "0.49"',
    '40:46 plans[1].min_usd | min_usd "0.49" is below what a card can be charged: write at least "0.50"',
  ],
  'credit above the largest charge': [
    'max_usd: "100.00"',
    'max_usd: "1000000.00"',
    '40:63 plans[1].max_usd | max_usd "1000000.00" is above what a card can be charged: write at most "999999.99"',
  ],
  'credit with fractions of a cent': [
    'min_usd: "5.00"',
    'min_usd: "5.001"',
    '40:46 plans[1].min_usd | min_usd "5.001" has fractions of a cent, which no card can be charged: write two decimals',
  ],
  'a least amount above the largest': [
    'min_usd: "5.00"',
    'min_usd: "500.00"',
    '40:46 plans[1].min_usd | min_usd "500.00" is above max_usd "100.00": lower it or raise max_usd',
  ],
  'a subscription for a few cents': [
    'price_usd: "99.00"',
    'price_usd: "0.10"',
    '41:51 plans[2].price_usd | price_usd "0.10" is below what a card can be charged: write at least "0.50"',
  ],
  'a key value without the key': [
    'value: "Bearer {key}"',
    'value: Bearer',
    '6:33 upstream.key.value | value is "Bearer": say with {key} where the operator\'s key goes, such as "Bearer {key}"',
  ],
  'a key in a header that frames the request': [
    'header: authorization',
    'header: Host',
    '6:10 upstream.key.header | header Host controls the request itself: choose the header for the key',
  ],
  'an unending wait': [
    'upstream:\n',
    'upstream:\n  timeout_ms: 999999999\n',
    '6:3 upstream.timeout_ms | timeout_ms is 999999999: the most is 300000',
  ],
  'no contact': [
    '  contact: sales@example.com\n',
    '',
    '1:1 storefront.contact | contact is missing: where buyers write: an e-mail address or a web page',
  ],
};

describe('refuses, with the line and the mend,', () => {
  for (const [mistake, [from, to, fault]] of Object.entries(mistakes)) {
    test(mistake, () => expect(faults([from, to])).toEqual([fault]));
  }

  test('a service that no plan covers', () => {
    const found = faults(
      ['covers: "*"', 'covers: [todos]'],
      ['covers: "*"', 'covers: [account]'],
      ['covers: [todos, account]', 'covers: [todos]'],
    );
    expect(found).toEqual([
      '21:5 services[1].slug | slug "writing" is covered by no plan: add it to the covers of one',
    ]);
  });
});

describe('reports', () => {
  test('every fault at once, in the order of the lines', () => {
    const found = faults(
      ['"0.002"', '0.002'],
      ['units: /found', 'units: found'],
      ['PUT /v1/todos/{id}', 'PUT /v1/../x'],
      ['min_usd: "5.00"', 'min_usd: "0.10"'],
      ['every: month', 'every: week'],
    );
    expect(found.map((fault) => fault.split(' ')[1])).toEqual([
      'services[0].price_usd',
      'services[0].operations[2].units',
      'services[1].operations[0].call',
      'plans[1].min_usd',
      'plans[2].every',
    ]);
  });

  test('text that is no YAML, and nothing that follows from it', () => {
    const found = faults(['    name: Todos\n', '    name: "Todos\n']);
    expect(found.length).toBeGreaterThan(0);
    for (const fault of found) expect(fault).toMatch(/^\d+:\d+ {2}\| not readable as YAML: /);
  });

  test('the bracket that is not closed, or else the first lines, in place of all that follows from them', () => {
    expect(faults(['services:', 'services: ['])).toEqual([
      expect.stringMatching(/not readable as YAML: the \[ that opens here is not closed$/),
    ]);
    const many = faults(['plans:', 'plans']);
    expect(many.length).toBeLessThanOrEqual(3);
    expect(many[0]).toMatch(/a key has no colon, or a bracket or quote above is not closed$/);
  });

  test('a file that is empty, a list, or two files', () => {
    for (const text of ['', '- a', 'a: 1\n---\nb: 2', '~']) {
      const parsed = File.parse(text, 'catalog.yaml');
      expect(parsed).toMatchObject({
        ok: false,
        faults: [{ file: 'catalog.yaml', line: text.startsWith('a') ? 2 : 1 }],
      });
    }
  });

  test('an alias that names nothing, one that holds itself, and one that grows without end', () => {
    expect(faults(['units_max: 5', 'units_max: *page'])[0]).toContain(
      'the alias *page names no anchor above it',
    );
    const bomb = Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    for (const text of ['&a [*a]', `a0: &a0 1\n${bomb.join('\n')}`]) {
      const parsed = File.parse(text, 'catalog.yaml');
      const reasons = parsed.ok ? [] : parsed.faults.map(({ reason }) => reason);
      expect(reasons).toContain('the file holds over 50000 values or 32 levels');
    }
  });

  test('a file that is far too long', () => {
    expect(File.parse(' '.repeat(1_048_577), 'c.yaml')).toEqual({
      ok: false,
      faults: [
        {
          file: 'c.yaml',
          line: 1,
          column: 1,
          path: '',
          reason: 'the file is longer than 1048576 characters',
        },
      ],
    });
  });
});

describe('load', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'catalog-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const described = { description: 'upstream:\n  description: todo.json\n' };
  const openapi = (...calls: string[]) => ({
    openapi: '3.1.0',
    paths: Object.fromEntries(
      calls.map((call) => {
        const [method = '', path = ''] = call.split(' ');
        return [path, { [method.toLowerCase()]: { summary: call } }];
      }),
    ),
  });
  async function write(yaml: string, description: unknown): Promise<string> {
    const path = join(directory, 'catalog.yaml');
    await writeFile(path, yaml);
    if (description !== null) await writeFile(join(directory, 'todo.json'), JSON.stringify(description));
    return path;
  }
  const withDescription = todoYaml.replace('upstream:\n', described.description);

  test('reads the catalogue that the project ships', async () => {
    const catalog = await File.load('openapi/catalog.yaml');
    // Every operation of the data API occurs exactly once.
    expect(new Set(catalog.operations.map(({ id }) => id)).size).toBe(21);
    expect(catalog.operations.filter(({ service }) => service.price === 0).map(({ id }) => id)).toEqual([
      'POST /v2/utils/current-date',
      'GET /v2/account/key-info',
    ]);
  });

  test('takes a description that has every operation, under other parameter names', async () => {
    const path = await write(withDescription, {
      openapi: '3.0.3',
      paths: {
        '/v1/todos': { get: {} },
        '/v1/todos/{todoId}': { get: {}, put: {}, delete: {} },
        '/v1/todos/search': { post: {} },
        '/v1/account/key-info': { get: {} },
      },
    });
    await expect(File.load(path)).resolves.toMatchObject({
      upstream: { description: join(directory, 'todo.json') },
    });
  });

  test('names each operation that the description has not, beside all other faults', async () => {
    const yaml = withDescription.replace('min_usd: "5.00"', 'min_usd: "0.10"');
    const path = await write(
      yaml,
      openapi('GET /v1/todo', 'PUT /v1/todos/{id}', 'DELETE /v1/todos/{id}', 'POST /v1/todos/search'),
    );
    const message = await File.load(path).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(message.split('\n')).toEqual([
      `${path}:14:9 call GET /v1/todos is not in todo.json. Did you mean "GET /v1/todo"?`,
      `${path}:17:9 call GET /v1/todos/{id} is not in todo.json. Did you mean "DELETE /v1/todos/{id}"?`,
      `${path}:27:9 call PUT /v1/todos/{id} is not in todo.json. Did you mean "DELETE /v1/todos/{id}"?`,
      `${path}:36:9 call GET /v1/account/key-info is not in todo.json. Describe it there or leave it out.`,
      `${path}:41:46 min_usd "0.10" is below what a card can be charged: write at least "0.50"`,
    ]);
  });

  test('refuses a description that is missing, unreadable or of another kind', async () => {
    const reasons: [unknown, RegExp][] = [
      [null, /catalog.yaml:6:3 description todo.json cannot be read \(ENOENT\)$/],
      ['just text', /catalog.yaml:6:3 description todo.json is not an OpenAPI description/],
      [{ swagger: '1.2' }, /catalog.yaml:6:3 description todo.json is not an OpenAPI description/],
    ];
    for (const [description, reason] of reasons) {
      await expect(File.load(await write(withDescription, description))).rejects.toThrow(reason);
    }
  });

  test('says so where there is no catalogue', async () => {
    const path = join(directory, 'none.yaml');
    await expect(File.load(path)).rejects.toThrow(`${path}:1:1 the catalogue cannot be read (ENOENT)`);
  });
});
