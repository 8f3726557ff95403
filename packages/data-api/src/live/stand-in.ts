import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@sluice/kernel/clock';
import { equal } from '@sluice/kernel/digest';
import { liveStaff } from '../data/live-staff.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import type { DataSets } from '../operation.ts';
import * as Match from './match.ts';
import * as Protocol from './protocol.ts';
import type { Question } from './source.ts';

/**
 * A live source for the sample, with the HTTP contract of a real one. Its people are those of the live data-set version,
 * with the changes since then that `liveStaff` invents.
 */
export type StandIn = { url: string; stop(): Promise<void> };
export type StandInOptions = { key: string; dataSets: DataSets; clock: Clock; onFault(error: unknown): void };

const staffMax = 1_000;
const bodyBytesMax = 256 * 1024;

/** Starts the source on a free port of the loopback address. */
export async function start(options: StandInOptions): Promise<StandIn> {
  const server = createServer((request, response) => {
    answer(request, options).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => {
        options.onFault(error);
        send(response, 500, { message: 'Internal error' });
      },
    );
  });
  const { port } = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/people`,
    async stop() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}

async function answer(
  request: IncomingMessage,
  { key, dataSets, clock }: StandInOptions,
): Promise<{ status: number; body: object }> {
  if (!equal(String(request.headers[Protocol.keyHeader] ?? ''), key))
    return { status: 401, body: { message: 'Missing or invalid key' } };
  if (request.method !== 'POST' || request.url !== '/people')
    return { status: 404, body: { message: 'Not found. Send POST /people' } };
  const question = await read(request);
  if (question === null) return { status: 422, body: { message: 'Invalid search' } };
  return { status: 200, body: { profiles: await search(question, dataSets, clock()) } };
}

async function search({ companyUrl, step, limit }: Question, dataSets: DataSets, nowMs: number) {
  const { companies, people, isFictional } = dataSets.live();
  // Never invent changes to real people.
  if (!isFictional) return [];
  const ref = NetworkUrl.parsed(companyUrl);
  const [company, employer] = await Promise.all([companies.find(ref), companies.profile(ref)]);
  if (company === null || employer === null) return [];
  const everyone = { search: null, connectionsMin: 0 };
  const stored = await people.pageAt(company.id, everyone, 0, staffMax);
  const workplace = { url: employer.network_url ?? companyUrl, number: employer.network_id };
  return liveStaff(
    employer,
    stored.map(({ record }) => record),
    nowMs,
  )
    .filter((record) => {
      const position = Match.positionAt(record, workplace);
      return position !== null && Match.isMet(step, record, position.job_title ?? null);
    })
    .sort((one, other) => (other.connections_count ?? -1) - (one.connections_count ?? -1))
    .slice(0, limit);
}

/** Parses the search; null if it is too large or invalid. */
async function read(request: IncomingMessage): Promise<Question | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  try {
    return Protocol.toQuestion(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    return null;
  }
}

function listen(server: Server): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
