import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../kernel/clock.ts';
import { id } from '../kernel/id.ts';

/** What one line of the log says of a request. Never a header, a query, a body: those may hold secrets. */
export type Entry = {
  readonly requestId: string;
  readonly startedMs: number;
  account?: string;
  /** The tool of `/mcp` that was called. */
  tool?: string;
  call?: string;
  /** The service whose answer it got. */
  service?: string;
  units?: number;
  costMicroUsd?: number;
  code?: string;
};

export type WriteLine = (line: Readonly<Record<string, unknown>>) => void;

const pathCharsMax = 200;

/** Opens the entry of a request; its line is written when the connection is done with the answer. */
export function open(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  clock: Clock,
  write: WriteLine,
): Entry {
  const entry: Entry = { requestId: id('req'), startedMs: clock() };
  outgoing.once('close', () => {
    const { requestId, startedMs, ...rest } = entry;
    write({
      event: 'request',
      request_id: requestId,
      method: incoming.method,
      path: (incoming.url ?? '').split('?', 1)[0]?.slice(0, pathCharsMax),
      status: outgoing.headersSent ? outgoing.statusCode : 0,
      ms: clock() - startedMs,
      ...(!outgoing.writableFinished && { cut: true }),
      ...rest,
    });
  });
  return entry;
}
