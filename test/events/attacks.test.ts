import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openEventSender } from '../../src/adapters/event-sender.ts';
import { notLinkLocal, publicOnly } from '../../src/adapters/public-lookup.ts';
import { EventDelivery } from '../../src/journeys/event-delivery.ts';
import type { DueEvent } from '../../src/payment/event.ts';
import * as EventEndpoint from '../../src/payment/event-endpoint.ts';

const resolved = vi.hoisted(() => ({ addresses: [] as { address: string; family: number }[], times: 0 }));
vi.mock('node:dns', () => ({
  lookup: (_: string, __: object, done: (fault: null, found: typeof resolved.addresses) => void) => {
    resolved.times += 1;
    done(null, resolved.addresses);
  },
}));

const local = { local: true, private: false };

let server: Server;
let url: string;
let respond: (response: ServerResponse) => void;
beforeEach(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => respond(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function send(msMax: number): Promise<{ result: object; ms: number }> {
  const sender = openEventSender(local, msMax);
  const start = performance.now();
  const result = await sender.send({ url, body: '{}', headers: {} });
  const ms = performance.now() - start;
  await sender.close();
  return { result, ms };
}

test('a response without an end is cut off, and its status counts', async () => {
  let sent = 0;
  respond = (response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const { result, ms } = await send(20_000);
  expect(result).toEqual({ status: 200 });
  expect(ms).toBeLessThan(10_000);
  expect(sent).toBeLessThan(64 * 1_048_576);
});

test('a response that is later than the limit is a failure, whatever its status', async () => {
  respond = (response) => void setTimeout(() => response.writeHead(200).end(), 1_000).unref();
  expect((await send(200)).result).toEqual({ fault: 'no response in time' });
});

test('a response whose body trickles holds the connection no longer than the limit', async () => {
  respond = (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };
  const { result, ms } = await send(300);
  expect(result).toEqual({ status: 200 });
  expect(ms).toBeLessThan(5_000);
});

test('headers beyond the limit, and a redirect to this network, are failures', async () => {
  respond = (response) => void response.writeHead(200, { 'x-large': 'x'.repeat(30_000) }).end();
  expect((await send(5_000)).result).toHaveProperty('fault');
  respond = (response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
  expect((await send(5_000)).result).toEqual({ status: 307 });
});

test.each([
  ['https://10.0.0.1/', false],
  ['https://[::ffff:10.0.0.1]/', false],
  ['https://[::ffff:a9fe:a9fe]/', false],
  ['https://[64:ff9b::a9fe:a9fe]/', false],
  ['https://[2002:a9fe:a9fe::]/', false],
  ['https://0x7f000001/', false],
  ['https://0177.1/', false],
  ['https://127.1/', false],
  ['https://0/', false],
  ['https://[::]/', false],
  ['https://100.100.100.200/', false],
  ['https://shop.localhost/', false],
  // EVENTS_PRIVATE_ADDRESSES=on
  ['https://169.254.169.254/', true],
  ['https://[::ffff:169.254.169.254]/', true],
  ['https://[fe80::1]/', true],
  ['https://[fd00:ec2::254]/', true],
  ['http://10.0.0.1/', true],
])('%s is refused (private addresses allowed: %s)', (address, isPrivate) => {
  expect(EventEndpoint.urlFault(address, { local: false, private: isPrivate })).not.toBeNull();
});

test.each([
  ['8.8.8.8', '127.0.0.1'],
  ['10.0.0.1'],
  ['::ffff:169.254.169.254'],
  ['fd00:ec2::254'],
  ['64:ff9b::a9fe:a9fe'],
  [],
])('a name that resolves to %s, %s is not connected to', async (...addresses: string[]) => {
  resolved.addresses = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const sender = openEventSender({ local: false, private: false });
  const request = { url: 'https://seller.example/', body: '{}', headers: {} };
  expect(await sender.send(request)).toEqual({ fault: 'the name does not resolve to a public address' });
  await sender.close();
});

test('a name is resolved once for a connection, which goes to the address that was checked', async () => {
  resolved.addresses = [{ address: '8.8.8.8', family: 4 }];
  resolved.times = 0;
  const found = await new Promise((resolve) =>
    publicOnly('seller.example', { all: true }, (fault, list) => resolve([fault, list])),
  );
  expect(found).toEqual([null, resolved.addresses]);
  expect(resolved.times).toBe(1);
});

test('with private addresses allowed, a name still must not resolve to a link-local address', async () => {
  const faultOf = (address: string) => {
    resolved.addresses = [{ address, family: address.includes(':') ? 6 : 4 }];
    return new Promise((resolve) =>
      notLinkLocal('seller.example', {}, (fault) => resolve(fault?.code ?? null)),
    );
  };
  expect(await faultOf('10.0.0.1')).toBeNull();
  for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fd00:ec2::254'])
    expect(await faultOf(address)).toBe('EPRIVATE');
});

test('endpoints that do not respond do not delay the others', async () => {
  const waiting: DueEvent[] = [];
  const due = (endpoint: string, n: number): DueEvent => ({
    ...{
      id: `evt_${endpoint}_${n}`,
      type: 'order.granted',
      atMs: 0,
      account: `acc_${n}`,
      data: {},
      position: n,
    },
    ...{ lease: 'l', endpoint, url: endpoint, secrets: ['whsec_AAAA'], email: null, tries: 0 },
  });
  for (let n = 0; n < 300; n += 1) waiting.push(due(`slow_${n % 19}`, n));
  const done: string[] = [];
  let underWay = 0;
  const events = {
    publish: async () => true,
    async take(busy: readonly string[]) {
      const at = waiting.findIndex(({ endpoint }) => !busy.includes(endpoint));
      return at < 0 ? null : (waiting.splice(at, 1)[0] ?? null);
    },
    async finish({ endpoint }: DueEvent) {
      done.push(endpoint);
      return { recorded: true, disabled: false };
    },
  };
  const sender = {
    send(request: { url: string }) {
      underWay += 1;
      return request.url === 'fast' ? Promise.resolve({ status: 204 }) : new Promise<never>(() => {});
    },
  };
  const delivery = new EventDelivery({
    events,
    sender,
    includesEmail: false,
    clock: Date.now,
    report: () => {},
  });
  await delivery.run();
  expect(underWay).toBe(19 * 6);
  waiting.push(due('fast', 1_000));
  await delivery.run();
  await expect.poll(() => done).toEqual(['fast']);
});
