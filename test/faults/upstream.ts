import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as JobUpstream from './job-upstream.ts';
import * as StreamUpstream from './stream-upstream.ts';

/** The upstream's behaviour for one request, which the caller states in the body. */
export const acts = [
  'right',
  'slow',
  'late',
  'wrong',
  'garbled',
  'failing',
  'refusing',
  'cut',
  'torn',
  'in parts',
  'too many',
] as const;
export type Act = (typeof acts)[number];

/** One request of a run, as sent to the upstream. The same request has the same `id`, however often it is sent. */
export type Asked = {
  id: string;
  path: '/v1/list' | '/v1/file' | '/v1/job' | StreamUpstream.StreamPath;
  max: number;
  act: Act | StreamUpstream.StreamAct;
  /** The count in a correct response, and the number of padding bytes. */
  count: number;
  bytes: number;
};

export const upstreamMoments = [
  'request arrived',
  'answer half sent',
  'answer sent',
  'stream half sent',
] as const;
export type UpstreamMoment = (typeof upstreamMoments)[number];

export type Upstream = {
  url: string;
  /** Number of arrivals of each request. */
  arrivals: Map<string, number>;
  /** The request of each job, by its id. */
  jobs: Map<string, Asked>;
  close(): Promise<void>;
};

/** Responses that are no streams, whatever was asked for. */
const unstreamed: ReadonlySet<Asked['act']> = new Set(['late', 'failing', 'refusing', 'cut']);
const jobPath = '/v1/jobs/';
/** A job is seen running so often before its end is. */
const runningPolls = 1;
const slowMs = 300;
const partMs = 40;

/** An upstream that behaves as its callers request, correctly or not, and reports every moment. */
export async function open(tell: (moment: UpstreamMoment, id: string) => void): Promise<Upstream> {
  const arrivals = new Map<string, number>();
  const jobs = new Map<string, Asked>();
  const polls = new Map<string, number>();
  const showJob = (id: string, outgoing: ServerResponse) => {
    const asked = jobs.get(id);
    const seen = polls.get(id) ?? 0;
    polls.set(id, seen + 1);
    const state = asked && seen >= runningPolls ? JobUpstream.endOf(asked) : { status: 'running' };
    outgoing
      .writeHead(asked ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify({ id, ...state }));
  };
  const server = createServer((incoming, outgoing) => {
    const { method, url = '' } = incoming;
    if (method === 'GET' && url.startsWith(jobPath))
      return showJob(decodeURIComponent(url.slice(jobPath.length)), outgoing);
    void read(incoming).then((asked) => {
      const arrival = (arrivals.get(asked.id) ?? 0) + 1;
      arrivals.set(asked.id, arrival);
      const job = `${asked.id} ${arrival}`;
      if (asked.path === '/v1/job') jobs.set(job, asked);
      tell('request arrived', asked.id);
      outgoing.once('finish', () => tell('answer sent', asked.id));
      if (StreamUpstream.isStream(asked) && !unstreamed.has(asked.act))
        void StreamUpstream.answerStream(asked, outgoing, () => tell('stream half sent', asked.id));
      else answer(asked, job, outgoing, () => tell('answer half sent', asked.id));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    jobs,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Returns the body of a correct response. */
export function rightBody({ id, count, bytes }: Pick<Asked, 'id' | 'count' | 'bytes'>): string {
  return JSON.stringify({ count, id, padding: 'x'.repeat(bytes) });
}

async function read(incoming: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function answer(asked: Asked, job: string, outgoing: ServerResponse, half: () => void): void {
  const isJob = asked.path === '/v1/job';
  const counted = asked.act === 'too many' ? { ...asked, count: asked.max + 7 } : asked;
  const body = isJob ? JSON.stringify({ job, status: 'running' }) : rightBody(counted);
  const success = isJob ? 202 : 200;
  const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const middle = body.length >> 1;
  const right = (status = success) => outgoing.writeHead(status, head).end(body);
  switch (asked.act) {
    case 'right':
    case 'too many':
      right();
      break;
    case 'slow':
      setTimeout(() => right(), slowMs);
      break;
    case 'late':
      break;
    case 'wrong':
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"count":"many"}');
      break;
    case 'garbled':
      outgoing.socket?.end('SMTP/1.1 220 hello\r\n\r\n');
      break;
    case 'failing':
      right(asked.max % 2 ? 500 : 503);
      break;
    case 'refusing':
      right(422);
      break;
    case 'cut':
      outgoing.destroy();
      break;
    case 'torn':
      outgoing.writeHead(success, head).write(body.slice(0, middle), () => outgoing.destroy());
      half();
      break;
    case 'in parts':
      outgoing.writeHead(success, head).write(body.slice(0, middle));
      half();
      setTimeout(() => outgoing.end(body.slice(middle)), partMs);
      break;
  }
}
