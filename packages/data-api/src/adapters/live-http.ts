import type { Clock } from '@sluice/kernel/clock';
import * as Cache from '../live/cache.ts';
import type { LiveCounters, Result } from '../live/counters.ts';
import * as Gate from '../live/gate.ts';
import * as Protocol from '../live/protocol.ts';
import type { Settings } from '../live/settings.ts';
import * as Source from '../live/source.ts';

/** Log entry of a request to the source. It contains no key and no profile. */
export type LiveEntry = {
  request_id: string;
  result: Result;
  profiles: number;
  cost_usd: number;
  ms: number;
  /** First invalid profile of the response. */
  fault: string | null;
};
export type LiveHttpContext = {
  clock: Clock;
  counters: LiveCounters;
  log(entry: LiveEntry, error: unknown): void;
};
export type LiveHttp = { source: Source.LiveSource; running(): number };

/** Searches that wait for each place. Others are refused, so that a slow source cannot fill the memory. */
const waitingPerPlace = 20;
const cacheBytesMax = 32 * 1024 * 1024;
const microsPerDollar = 1_000_000;

/** Searches a live source over HTTP, as described in `docs/live-profiles.md`. */
export function liveHttp(settings: Settings, { clock, counters, log }: LiveHttpContext): LiveHttp {
  const gate = Gate.create(settings.requestsMax, settings.requestsMax * waitingPerPlace);
  const cache = Cache.create({ maxAgeMs: settings.cacheMs, bytesMax: cacheBytesMax, clock });

  async function fetched(question: Source.Question, context: Source.Context): Promise<Cache.Answer> {
    const startedMs = clock();
    let result: Result = 'failed';
    let problem: unknown = null;
    let returned = 0;
    let fault: string | null = null;
    try {
      const { bytes, body } = await gate.run(context.signal, () => post(settings, question, context));
      const found = Protocol.profilesOf(body);
      if (found === null) throw new Source.Unavailable('invalid', 'the response is not {"profiles": [...]}');
      ({ returned, fault } = found);
      if (fault !== null) counters.faulty++;
      if (returned > 0 && found.profiles.length === 0)
        throw new Source.Unavailable('invalid', `the response has no valid profile: ${fault}`);
      result = 'ok';
      return { profiles: found.profiles, returned, bytes };
    } catch (error) {
      problem = error;
      if (error instanceof Source.Unavailable) result = error.reason;
      throw error;
    } finally {
      const ms = clock() - startedMs;
      const costMicros = returned * settings.costMicros;
      counters.requests[result]++;
      counters.requestMs += ms;
      counters.fetched += returned;
      counters.costMicros += costMicros;
      const { requestId: request_id } = context;
      const cost_usd = costMicros / microsPerDollar;
      log({ request_id, result, profiles: returned, cost_usd, ms, fault }, problem);
    }
  }

  const source: Source.LiveSource = {
    deadlineMs: settings.deadlineMs,
    async find(question, context) {
      const { profiles, isCached } = await cache.answer(question, context.signal, () =>
        fetched(question, context),
      );
      if (isCached) counters.cached += profiles.length;
      return profiles;
    },
  };
  return { source, running: gate.running };
}

/** Sends the search. Redirects are errors: they would send the key to another address. */
async function post(
  { url, key, responseBytesMax }: Settings,
  question: Source.Question,
  { requestId, signal }: Source.Context,
): Promise<{ bytes: number; body: unknown }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        [Protocol.requestIdHeader]: requestId,
        ...(key !== null && { [Protocol.keyHeader]: key }),
      },
      body: JSON.stringify(Protocol.toBody(question)),
      redirect: 'error',
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Source.Unavailable(reasonOf(response.status), `the live source answered ${response.status}`);
    }
    const bytes = await collect(response, responseBytesMax);
    return { bytes: bytes.length, body: parsed(bytes) };
  } catch (error) {
    if (error instanceof Source.Unavailable) throw error;
    if (signal.aborted)
      throw new Source.Unavailable('slow', 'no response from the live source before the deadline', {
        cause: error,
      });
    throw new Source.Unavailable('failed', 'the request to the live source failed', { cause: error });
  }
}

function reasonOf(status: number): Source.Reason {
  if (status === 401 || status === 403) return 'refused';
  return status === 429 ? 'busy' : 'failed';
}

/** Reads the body without buffering more than the limit. */
async function collect(response: Response, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the body, which closes the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > bytesMax)
      throw new Source.Unavailable('invalid', `the response is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Source.Unavailable('invalid', 'the response is not JSON', { cause: error });
  }
}
