import type { Tracer } from '@sluice/kernel/tracing';
import type * as Match from '../../catalog/match.ts';
import type { OpenSockets } from '../../proxy/open-sockets.ts';
import type { CallContext } from '../call.ts';
import * as Fault from '../fault.ts';
import * as RequestLog from '../telemetry/request-log.ts';
import { refuse, SocketRoute, type Upgrade } from './upgrade.ts';

type Options = {
  sockets: OpenSockets;
  line: RequestLog.WriteLine;
  fault: (fault: unknown, requestId: string) => void;
};

/** Returns the function that serves requests for WebSockets and logs them: a refused one at once, an open one at its end. */
export function serveUpgrades(
  shop: CallContext & { readonly tracer: Tracer | null },
  matcher: Match.Matcher,
  { sockets, line, fault: report }: Options,
): (upgrade: Upgrade) => void {
  const route = new SocketRoute(shop, matcher, sockets);
  return (upgrade) => {
    let write = () => {};
    const state = {
      statusCode: 0,
      headersSent: true,
      writableFinished: true,
      once: (_: 'close', listener: () => void) => {
        write = listener;
      },
    };
    let openedMs = 0;
    // The time of a response is that of its 101, not of the connection after it.
    const log: RequestLog.WriteLine = (it) =>
      line(it.status === 101 ? { ...it, ms: openedMs - entry.startedMs } : it);
    const entry = RequestLog.startEntry(upgrade.incoming, state, shop.clock, log, shop.tracer);
    const opened = () => {
      state.statusCode = 101;
      openedMs = shop.clock();
    };
    route
      .serve(upgrade, entry, opened)
      .then((refused) => {
        if (refused === null) return upgrade.socket.destroy();
        if ('headers' in refused && typeof refused.body.code === 'string') entry.code = refused.body.code;
        state.statusCode = refuse(upgrade, refused);
      })
      .catch((fault: unknown) => {
        report(fault, entry.requestId);
        if (state.statusCode === 0)
          state.statusCode = refuse(upgrade, Fault.faultReply(shop.texts, fault, entry.requestId));
        else upgrade.socket.destroy();
      })
      .finally(() => write());
  };
}
