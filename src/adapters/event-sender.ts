import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { type EndpointRules, type EventRequest, urlFault } from '../payment/event-endpoint.ts';
import { notLinkLocal, publicOnly } from './public-lookup.ts';

/** Maximum duration of a request with an event. */
const requestMsMax = 15_000;
const connectMsMax = 5_000;
const headerBytesMax = 16 * 1024;
const bodyBytesMax = 64 * 1024;

/** The response to an event, or why there is none. */
type SendResult = { status: number } | { fault: string };

/** Sends signed events over HTTP. */
interface EventSender {
  send(request: EventRequest): Promise<SendResult>;
  close(): Promise<void>;
}

/**
 * Opens a sender. It follows no redirects, and reads no more than the first 64 KiB of a response.
 * @param msMax maximum duration of a request
 */
export function openEventSender(allows: EndpointRules, msMax: number = requestMsMax): EventSender {
  const open = (lookup: LookupFunction | null) =>
    new Agent({
      connect: { timeout: connectMsMax, ...(lookup && { lookup }) },
      maxHeaderSize: headerBytesMax,
      pipelining: 1,
      keepAliveTimeout: 10_000,
    });
  const guarded = open(allows.private ? notLinkLocal : publicOnly);
  // Only for addresses on this machine, which `urlFault` has checked.
  const local = open(null);
  return {
    async send({ url, body, headers }) {
      // The rules may be stricter than they were when the endpoint was added.
      const fault = urlFault(url, allows);
      if (fault !== null) return { fault: `the address ${fault}` };
      const isLocal = allows.local && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
      try {
        const signal = AbortSignal.timeout(msMax);
        const dispatcher = isLocal ? local : guarded;
        const response = await request(url, { method: 'POST', body, headers, dispatcher, signal });
        await response.body.dump({ limit: bodyBytesMax, signal }).catch(() => undefined);
        return { status: response.statusCode };
      } catch (error) {
        const { code, name, message } = error as { code?: string; name?: string; message?: string };
        if (code === 'EPRIVATE')
          return {
            fault: allows.private
              ? 'the name resolves to a link-local address'
              : 'the name does not resolve to a public address',
          };
        return { fault: name === 'TimeoutError' ? 'no response in time' : (code ?? message ?? 'failed') };
      }
    },
    close: async () => void (await Promise.all([guarded.destroy(), local.destroy()])),
  };
}
