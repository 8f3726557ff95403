import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Records of a name: addresses and mail exchangers by priority; or a failing or silent server. */
export type Name = {
  a?: readonly string[];
  aaaa?: readonly string[];
  mx?: readonly (readonly [priority: number, exchange: string])[];
  fails?: 'servfail' | 'silent';
};

const types = { a: 1, mx: 15, aaaa: 28 } as const;
const ttlSeconds = 60;
const servfail = 2;
const nxdomain = 3;

/** A DNS server on the loopback address that knows `names` and nothing else (RFC 1035). */
export async function open(names: Readonly<Record<string, Name>>) {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = question(query);
    asked.push(`${name} ${type}`);
    const found = names[name];
    if (found?.fails === 'silent') return;
    const records = found === undefined || found.fails ? [] : recordsOf(found, type);
    const code = found === undefined ? nxdomain : found.fails ? servfail : 0;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(
      Buffer.concat([head, query.subarray(12, end), ...records.map((data) => record(type, data))]),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordsOf({ a = [], aaaa = [], mx = [] }: Name, type: number): Buffer[] {
  if (type === types.a) return a.map((address) => Buffer.from(address.split('.').map(Number)));
  if (type === types.aaaa) return aaaa.map(v6);
  if (type !== types.mx) return [];
  return mx.map(([priority, exchange]) =>
    Buffer.concat([Buffer.from([priority >> 8, priority & 255]), encoded(exchange)]),
  );
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  // A pointer to the name in the question.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttlSeconds, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function encoded(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}

function v6(address: string): Buffer {
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(left), groups(right)];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
