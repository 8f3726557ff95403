import { Agent, request } from 'undici';
import { type AgentDirectories, type AgentKeys, readDirectory } from '../identity/web-bot-auth.ts';
import { publicOnly } from './public-lookup.ts';

const path = '/.well-known/http-message-signatures-directory';
const mediaType = 'application/http-message-signatures-directory+json';
/** A registration waits for a directory that is not cached. */
const timeoutMs = 2_000;
const directoryBytesMax = 64 * 1024;
/** A directory is read at most once in this time, also for keys that it lacks and after a failure. */
const cachedMsMin = 60_000;
const cachedMsUsual = 3_600_000;
/** Keys are used no longer than this after they were read, also while the directory cannot be read again. */
const cachedMsMax = 24 * 3_600_000;

type Cached = { keys: AgentKeys; readMs: number; freshMs: number };
type State = { cached: Cached | null; triedMs: number; reading: Promise<void> | null };
type Report = (event: string, detail: Readonly<Record<string, unknown>>) => void;

/**
 * Opens a reader of key directories. It reads https from public addresses, and http or https on this machine; follows no redirects; and reads
 * each directory once at a time.
 */
export function openAgentDirectories(report: Report): AgentDirectories {
  const settings = { connectTimeout: timeoutMs, maxHeaderSize: 16 * 1024, pipelining: 0 };
  const publicAgent = new Agent({ ...settings, connect: { timeout: timeoutMs, lookup: publicOnly } });
  const localAgent = new Agent(settings);
  const states = new Map<string, State>();

  const refresh = async (agent: string, state: State, nowMs: number) => {
    try {
      const { keys, lifeMs } = await read(isLocal(agent) ? localAgent : publicAgent, agent);
      state.cached = { keys, readMs: nowMs, freshMs: nowMs + lifeMs };
    } catch (fault) {
      report('agent_directory_unreadable', { agent, reason: describe(fault) });
    }
  };
  return {
    async find(agent, keyId, nowMs) {
      const state = states.get(agent) ?? { cached: null, triedMs: Number.NEGATIVE_INFINITY, reading: null };
      states.set(agent, state);
      const isFresh = state.cached !== null && nowMs < state.cached.freshMs && state.cached.keys.has(keyId);
      if (!isFresh && state.reading === null && nowMs - state.triedMs >= cachedMsMin) {
        state.triedMs = nowMs;
        state.reading = refresh(agent, state, nowMs).finally(() => {
          state.reading = null;
        });
      }
      if (!isFresh) await state.reading;
      const { cached } = state;
      if (cached === null || nowMs - cached.readMs > cachedMsMax) return { kind: 'unreadable' };
      const found = cached.keys.get(keyId);
      return found !== undefined && found.fromMs <= nowMs && nowMs < found.untilMs
        ? { kind: 'key', key: found.key }
        : { kind: 'unknown' };
    },
    async close() {
      await Promise.all([publicAgent.destroy(), localAgent.destroy()]);
    },
  };
}

class Unreadable extends Error {}

async function read(dispatcher: Agent, agent: string): Promise<{ keys: AgentKeys; lifeMs: number }> {
  const { hostname, protocol } = new URL(agent);
  // The lookup function does not see address literals, so they are rejected here.
  if (!isLocal(agent) && (protocol !== 'https:' || !/[a-z]$/i.test(hostname)))
    throw new Unreadable('not an https origin with a name');
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { accept: mediaType, 'accept-encoding': 'identity' };
  const answer = await request(agent + path, { dispatcher, headers, signal });
  const body = await text(answer.body, answer.statusCode);
  const type = String(answer.headers['content-type'] ?? '').split(';')[0];
  if (type?.trim().toLowerCase() !== mediaType) throw new Unreadable(`not ${mediaType}`);
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch {
    throw new Unreadable('not JSON');
  }
  const keys = readDirectory(document);
  if (keys === null) throw new Unreadable('not a key set');
  return { keys, lifeMs: lifeOf(String(answer.headers['cache-control'] ?? '')) };
}

async function text(body: AsyncIterable<Buffer>, status: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop destroys the stream.
  for await (const chunk of body) {
    if (status !== 200) throw new Unreadable(`status ${status}`);
    bytes += chunk.length;
    if (bytes > directoryBytesMax) throw new Unreadable(`more than ${directoryBytesMax} bytes`);
    chunks.push(chunk);
  }
  if (status !== 200) throw new Unreadable(`status ${status}`);
  return Buffer.concat(chunks).toString();
}

/** Time to keep a directory, in milliseconds, by its `Cache-Control`, within the bounds. */
function lifeOf(cacheControl: string): number {
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl) ?? [];
  const asked = /no-store|no-cache/i.test(cacheControl)
    ? 0
    : Number(seconds ?? cachedMsUsual / 1_000) * 1_000;
  return Math.min(cachedMsMax, Math.max(cachedMsMin, asked));
}

function isLocal(agent: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(agent).hostname);
}

function describe(fault: unknown): string {
  if (fault instanceof Unreadable) return fault.message;
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  return fault instanceof Error && fault.name === 'TimeoutError'
    ? `no response in ${timeoutMs} ms`
    : code || 'not reachable';
}
