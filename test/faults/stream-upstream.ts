import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The paths whose responses are streams: server-sent events, and one JSON text a line, whose callers may leave free of charge. */
export const streamPaths = ['/v1/stream', '/v1/lines'] as const;
export type StreamPath = (typeof streamPaths)[number];

/** The upstream's behaviour for a stream, which its caller states in the body. */
export const streamActs = [
  'slow',
  'scattered',
  'torn before its usage',
  'torn in its last event',
  'stalled',
  'without usage',
  'reporting an error',
  ...Array<'too many'>(3).fill('too many'),
  'late',
  'failing',
  'refusing',
  'cut',
] as const;
export type StreamAct = (typeof streamActs)[number];

/** The part of a request that decides about its stream. */
type StreamAsked = { id: string; path: string; act: string; count: number; max: number; bytes: number };

const eventsCount = 5;
const pauseMs = 8;
const slowPauseMs = 70;
/** A stream of more bytes is written in larger events. */
const eventBytesMax = 16_000;
const unitsMax = 50;
const tooMany = 7;

export function isStream({ path }: Pick<StreamAsked, 'path'>): boolean {
  return path === '/v1/stream' || path === '/v1/lines';
}

/** Returns the units that the upstream itself counts for a stream that it completes; null when it completes none. */
export function usageOf({ act, count, max }: StreamAsked): number | null {
  switch (act) {
    case 'torn before its usage':
    case 'torn in its last event':
    case 'stalled':
    case 'late':
    case 'failing':
    case 'refusing':
    case 'cut':
      return null;
    case 'without usage':
    case 'reporting an error':
      return 0;
    case 'too many':
      return Math.min(unitsMax, max + tooMany);
    default:
      return count;
  }
}

/** Returns the events of a complete stream. The last one ends it. */
export function eventsOf(asked: StreamAsked): string[] {
  const { id, act, path, bytes } = asked;
  const event = (fields: object) => {
    const text = JSON.stringify({ id, ...fields });
    return path === '/v1/lines' ? `${text}\n` : `data: ${text}\n\n`;
  };
  const count = Math.max(eventsCount, Math.ceil(bytes / eventBytesMax));
  const padding = 'x'.repeat(Math.ceil(bytes / count));
  const events = Array.from({ length: count }, (_, n) => event({ n, padding }));
  if (act === 'reporting an error') events.push(event({ error: { message: 'overloaded' } }));
  const usage = { total_tokens: usageOf(asked) };
  if (path === '/v1/lines')
    events.push(event(act === 'without usage' ? { done: true } : { done: true, usage }));
  else {
    if (act !== 'without usage') events.push(event({ usage }));
    events.push('data: [DONE]\n\n');
  }
  return events;
}

/** Returns true when a body has the event that ends its stream. */
export function hasEnd({ path }: Pick<StreamAsked, 'path'>, body: Buffer): boolean {
  const end = body.subarray(-4_096).toString('latin1');
  return path === '/v1/lines' ? /"done":true[^\n]*\}\n/.test(end) : end.includes('data: [DONE]\n');
}

/** Sends a stream, whole or broken, as its request says. */
export async function answerStream(
  asked: StreamAsked,
  outgoing: ServerResponse,
  half: () => void,
): Promise<void> {
  const { act, path } = asked;
  const type = path === '/v1/lines' ? 'application/x-ndjson' : 'text/event-stream';
  outgoing.writeHead(200, { 'content-type': type });
  const events = eventsOf(asked);
  const pieces = act === 'scattered' ? scattered(events.join('')) : events;
  const middle = pieces.length >> 1;
  for (const [at, piece] of pieces.entries()) {
    if (at === middle) {
      half();
      if (act === 'stalled') return;
      if (act === 'torn before its usage') return void outgoing.destroy();
    }
    const isLast = at === pieces.length - 1;
    if (isLast && act === 'torn in its last event')
      return void outgoing.write(piece.slice(0, -4), () => outgoing.destroy());
    if (!outgoing.write(piece)) await drained(outgoing);
    if (outgoing.destroyed) return;
    await sleep(act === 'slow' ? slowPauseMs : pieces.length > 2 * eventsCount ? 0 : pauseMs);
  }
  outgoing.end();
}

/** Cuts a text into pieces that do not end where events do. */
function scattered(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0, length = 7; at < text.length; at += length, length = (length * 2) % 97)
    pieces.push(text.slice(at, at + length));
  return pieces;
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('drain', resolve);
    outgoing.once('close', resolve);
  });
}
