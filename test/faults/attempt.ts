import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export const clientMoments = ['answer begun', 'answer half read', 'answer read'] as const;
export type ClientMoment = (typeof clientMoments)[number];

/** The outcome of one request. `broken`: no complete response arrived. `left`: none arrived because the caller left. */
export type Attempt =
  | { kind: 'whole'; status: number; headers: IncomingHttpHeaders; body: Buffer; waitedMs: number }
  | { kind: 'broken'; left: boolean; waitedMs: number };

export type Sent = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The time at which the caller leaves: this many milliseconds after the request, or when the response starts. */
  leaves: number | 'as it begins' | null;
};

/** Longer than every time limit of the shop. */
const patienceMs = 40_000;
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** Sends one request and reads the response as far as it arrives. Never rejects. */
export function make(sent: Sent, tell: (moment: ClientMoment) => void): Promise<Attempt> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    let left = false;
    const broken = () => resolve({ kind: 'broken', left, waitedMs: performance.now() - startedMs });
    const headers = { ...sent.headers, 'content-length': String(Buffer.byteLength(sent.body)) };
    const asking = request(sent.url, { method: 'POST', headers, agent }, (incoming) => {
      tell('answer begun');
      if (sent.leaves === 'as it begins') return leave();
      const chunks: Buffer[] = [];
      let bytes = 0;
      const length = Number(incoming.headers['content-length'] ?? 0);
      incoming.on('data', (chunk: Buffer) => {
        if (bytes < length / 2 && bytes + chunk.length >= length / 2) tell('answer half read');
        chunks.push(chunk);
        bytes += chunk.length;
      });
      incoming.on('error', () => undefined);
      incoming.on('close', () => {
        clearTimeout(late);
        if (!incoming.complete) return broken();
        tell('answer read');
        const { statusCode: status = 0, headers } = incoming;
        const waitedMs = performance.now() - startedMs;
        resolve({ kind: 'whole', status, headers, body: Buffer.concat(chunks), waitedMs });
      });
    });
    const leave = () => {
      left = true;
      asking.destroy();
    };
    const late = setTimeout(leave, typeof sent.leaves === 'number' ? sent.leaves : patienceMs);
    asking.on('error', () => {
      clearTimeout(late);
      broken();
    });
    asking.on('close', () => {
      clearTimeout(late);
      if (left) broken();
    });
    asking.end(sent.body);
  });
}

/** Closes the idle connections. */
export function close(): void {
  agent.destroy();
}
