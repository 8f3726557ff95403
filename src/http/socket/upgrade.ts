import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import * as Target from '@sluice/kernel/request-target';
import { type WebSocket, WebSocketServer } from 'ws';
import * as Match from '../../catalog/match.ts';
import { readCeiling } from '../../journeys/call-request.ts';
import { endOf, identify } from '../../journeys/identification.ts';
import * as SocketCall from '../../journeys/socket-call.ts';
import * as Headers from '../../proxy/headers.ts';
import type { OpenSockets, SocketPlace } from '../../proxy/open-sockets.ts';
import { type SocketEnd, SocketRelay } from '../../proxy/socket-relay.ts';
import { type CallContext, malformed, notFound, unidentified } from '../call.ts';
import * as Credentials from '../call-credentials.ts';
import { callRefusal } from '../call-refusal.ts';
import { error, type Reply } from '../reply.ts';
import { codes } from '../stream-error.ts';
import type { LogEntry } from '../telemetry/request-log.ts';
import * as Handshake from './handshake.ts';

const closeMsMax = 5_000;

/** A request for a WebSocket, and the connection that it came on. */
export type Upgrade = { incoming: IncomingMessage; socket: Duplex; head: Buffer };

/** A refusal by the storefront, or the upstream's own. */
type Refused = Reply | SocketCall.AnsweredSocket;

/** A caller who may open a WebSocket, and the check that it still may. */
type Known = {
  call: Parameters<typeof SocketCall.open>[1];
  protocols: Handshake.Protocols;
  header: string | undefined;
};

/** Accepts WebSockets for sold operations: each is opened at the upstream first. */
export class SocketRoute {
  readonly #shop: CallContext;
  readonly #matcher: Match.Matcher;
  readonly #sockets: OpenSockets;
  readonly #server: WebSocketServer;
  /** The subprotocol and the call of each response. */
  readonly #accepted = new WeakMap<IncomingMessage, { protocol: string | false; callId: string }>();

  constructor(shop: CallContext, matcher: Match.Matcher, sockets: OpenSockets) {
    this.#shop = shop;
    this.#matcher = matcher;
    this.#sockets = sockets;
    const closing: object = { closeTimeout: closeMsMax };
    this.#server = new WebSocketServer({
      ...closing,
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: sockets.limits.messageBytesMax,
      handleProtocols: (_, incoming) => this.#accepted.get(incoming)?.protocol ?? false,
    });
    this.#server.on('headers', (headers, incoming) => {
      const accepted = this.#accepted.get(incoming);
      if (accepted !== undefined) headers.push(`storefront-call: call_${accepted.callId}`);
    });
  }

  /** Serves one handshake and its WebSocket to the end. `opened` is called when the response 101 is sent. */
  async serve(upgrade: Upgrade, entry: LogEntry, opened: () => void): Promise<Refused | null> {
    const known = await this.#admit(upgrade.incoming, entry);
    if ('status' in known) return known;
    const place = this.#sockets.enter(known.call.account);
    if ('kind' in place) return this.#refuse(known, place, entry);
    try {
      return await this.#open(upgrade, known, place, entry, opened);
    } finally {
      place.leave();
    }
  }

  async #admit(incoming: IncomingMessage, entry: LogEntry): Promise<Known | Reply> {
    const { requestId } = entry;
    const shop = this.#shop;
    const target = Target.parse(incoming.url ?? '');
    const found: Match.Match =
      target === null ? { kind: 'not_found' } : Match.find(this.#matcher, incoming.method ?? '', target.path);
    if (target === null || found.kind !== 'operation') return notFound(shop, found, requestId);
    const { operation } = found;
    const bad = (code: 'upgrade_not_supported' | 'upgrade_malformed') =>
      error(400, code, shop.texts.text(`api.${code}`), requestId);
    if (operation.socket === undefined) return bad('upgrade_not_supported');
    if (!Handshake.isComplete(incoming)) return bad('upgrade_malformed');
    const protocols = Handshake.readProtocols(incoming.headers['sec-websocket-protocol']);
    if (protocols === null) return bad('upgrade_malformed');
    const sent = Credentials.read(incoming.headers);
    const inProtocol = protocols.bearer === null ? undefined : `Bearer ${protocols.bearer}`;
    if (typeof sent === 'object' || (sent !== undefined && inProtocol !== undefined && sent !== inProtocol)) {
      const field = typeof sent === 'object' ? sent.conflict : 'Sec-WebSocket-Protocol';
      return malformed(field, 'differs from the other credentials: send your token once.', requestId);
    }
    const header = sent ?? inProtocol;
    const bearer = await identify(shop, header, entry.startedMs);
    if (bearer.kind !== 'token') return unidentified(shop, bearer, 'GET', target, requestId);
    const { account, key = null } = bearer.claims;
    entry.account = account;
    const rawHeaders = Headers.endToEnd(incoming.rawHeaders);
    const ceiling = readCeiling(Headers.first(rawHeaders, 'storefront-max-cost'));
    if (ceiling === 'malformed')
      return malformed('Storefront-Max-Cost', 'must be a decimal amount in USD, such as 0.010.', requestId);
    const body = Buffer.alloc(0);
    const facts = { operation, account, target, rawHeaders, body, ceiling, callerKey: key, key: null };
    return { call: { ...facts, span: entry.span, wantsReceipt: false }, protocols, header };
  }

  #refuse({ call }: Known, refusal: Parameters<typeof callRefusal>[2], { requestId }: LogEntry): Reply {
    return callRefusal(this.#shop, call.operation, refusal, call.account, requestId);
  }

  async #open(
    { incoming, socket, head }: Upgrade,
    known: Known,
    place: SocketPlace,
    entry: LogEntry,
    whenOpened: () => void,
  ): Promise<Refused | null> {
    const { messageBytesMax } = this.#sockets.limits;
    const dial = { protocols: known.protocols.upstream, messageBytesMax };
    const opened = await SocketCall.open(this.#shop, known.call, dial);
    if (opened.kind === 'answered') return opened;
    if (opened.kind !== 'opened') return this.#refuse(known, opened, entry);
    const { upstream, sale, callId } = opened;
    entry.call = callId;
    entry.service = known.call.operation.service.slug;
    try {
      const protocol = Handshake.selected(known.protocols, upstream.socket.protocol);
      this.#accepted.set(incoming, { protocol, callId });
      const caller =
        socket.destroyed || !socket.readable || !socket.writable
          ? null
          : this.#accept(incoming, socket, head);
      if (caller === null) {
        upstream.socket.close(1001);
        entry.code = 'not_delivered';
        await sale.end(false);
        return null;
      }
      whenOpened();
      await this.#relay(known, opened, { caller, socket, place }, entry);
      return null;
    } catch (fault) {
      upstream.socket.terminate();
      await sale.end(false);
      throw fault;
    } finally {
      entry.units = sale.charged.units;
      entry.costMicroUsd = sale.charged.cost;
    }
  }

  /** Sends the response 101. The connection was checked, so that it is sent at once. */
  #accept(incoming: IncomingMessage, socket: Duplex, head: Buffer): WebSocket | null {
    let accepted: WebSocket | null = null;
    this.#server.handleUpgrade(incoming, socket, head, (caller) => {
      accepted = caller;
    });
    return accepted;
  }

  async #relay(
    { header, call }: Known,
    { upstream, sale }: SocketCall.OpenedSocket,
    { caller, socket, place }: { caller: WebSocket; socket: Duplex; place: SocketPlace },
    entry: LogEntry,
  ): Promise<SocketEnd> {
    const refusal = () => (sale.refusal === null ? 'credit_exhausted' : codes[sale.refusal.kind]);
    const relay = new SocketRelay({
      caller,
      upstream: upstream.socket,
      isConnected: (sender) => (sender === 'caller' ? !socket.destroyed : upstream.isConnected()),
      admit: (sender, data, isBinary) => sale.admit(sender, data, isBinary),
      refusal,
      check: async () => {
        const ended = endOf(await identify(this.#shop, header, this.#shop.clock()), call.account);
        return ended ?? ((await sale.tick()) ? null : refusal());
      },
      isSecret: upstream.hasSecret,
      ...this.#sockets.limits,
    });
    place.opened(relay);
    const end = await relay.closed;
    await sale.end(end.hasLeft);
    if (end.reason !== null) entry.code = end.reason;
    if (end.reason === 'upstream_key_in_response')
      this.#shop.report(end.reason, { call: entry.call, operation: call.operation.id });
    return end;
  }
}

/** Sends a refusal as a plain response, and closes the connection. */
export function refuse({ incoming, socket }: Upgrade, refused: Refused): number {
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  const isOwn = 'headers' in refused;
  const bytes = isOwn ? Buffer.from(JSON.stringify(refused.body)) : refused.body;
  if (socket.destroyed) return refused.status;
  outgoing.assignSocket(socket as IncomingMessage['socket']);
  outgoing.once('finish', () => {
    outgoing.detachSocket(socket as IncomingMessage['socket']);
    (socket as IncomingMessage['socket']).destroySoon();
  });
  const type = isOwn ? undefined : refused.contentType;
  const fields = isOwn
    ? Object.entries(refused.headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]))
    : ['storefront-origin', 'upstream', ...(type === undefined ? [] : ['content-type', type])];
  outgoing.writeHead(refused.status, [...fields, 'content-length', String(bytes.length)] as string[]);
  outgoing.end(bytes);
  return refused.status;
}
