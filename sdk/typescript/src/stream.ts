import * as Charge from './charge.ts';
import { type CallOptions, type Connection, given } from './connection.ts';
import { ConfigurationError, member, SluiceError, StreamError } from './errors.ts';
import { EventDecoder, formatOf, type StreamEvent } from './event-decoder.ts';
import { isObject, type Reply, success } from './reply.ts';

/** The reason of `close`. */
const closed = new DOMException('The stream was closed', 'AbortError');
const accept = 'text/event-stream, application/x-ndjson, application/json';

/** Headers that the client sets itself. */
const ownHeaders = new Set([
  'accept',
  'authorization',
  'content-type',
  'idempotency-key',
  'storefront-max-cost',
  'user-agent',
  'x-api-key',
]);

/** Options of a stream. */
export interface StreamOptions extends CallOptions {
  /** Further headers that the operation needs, such as `anthropic-version`. Those of the client are a `ConfigurationError`. */
  headers?: Record<string, string>;
}

/**
 * The events of one call, which is made when the iteration begins. Iterate once. Leaving the loop, `close` and an aborted signal
 * close the connection.
 *
 * ```ts
 * const stream = sluice.stream('/v1/chat/completions', { model: 'small-1', stream: true, messages: [] });
 * for await (const { data } of stream) console.log(data);
 * console.log((await stream.charge())?.cost_usd);
 * ```
 */
export class EventStream implements AsyncIterable<StreamEvent> {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #fields: object;
  readonly #options: CallOptions;
  readonly #headers: Record<string, string>;
  readonly #ending = new AbortController();
  #isBegun = false;
  #received = new Headers();

  constructor(connection: Connection, path: string, fields: object, options: StreamOptions = {}) {
    if (!/^\/(?!\/)[\x21-\x7e]*$/.test(path))
      throw new ConfigurationError('path must begin with one slash and have no spaces.');
    this.#connection = connection;
    this.#path = path;
    this.#fields = given(fields);
    const { headers = {}, ...others } = options;
    this.#options = others;
    this.#headers = further(headers);
  }

  /** Id of the call; null before the response, and for a service that is no storefront. */
  get call(): string | null {
    return this.#received.get('storefront-call');
  }

  /**
   * Iterates over the events as they arrive. A response that is no stream is one event. Throws `APIConnectionError` if the connection breaks or is
   * silent for longer than the timeout, and `StreamError` for an event that reports an error. The events before it have been delivered.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#isBegun) throw new SluiceError('A stream can be iterated once.');
    this.#isBegun = true;
    const { signal: own } = this.#options;
    const { signal } = this.#ending;
    const abort = () => this.#ending.abort(own?.reason);
    if (own?.aborted) abort();
    own?.addEventListener('abort', abort, { once: true });
    try {
      yield* this.#events({ ...this.#options, signal });
    } catch (fault) {
      if (fault !== closed) throw fault;
    } finally {
      own?.removeEventListener('abort', abort);
    }
  }

  async *#events(options: CallOptions): AsyncGenerator<StreamEvent, void, undefined> {
    const reply = await this.#connection.send({
      method: 'POST',
      path: this.#path,
      body: this.#fields,
      headers: { ...this.#headers, accept },
      twice: 'paid',
      isData: true,
      isStream: true,
      options,
    });
    this.#received = reply.headers;
    const format = formatOf(reply.headers);
    if (!reply.chunks || format === null) {
      yield { event: null, id: null, data: success(reply) };
      return;
    }
    const decoder = new EventDecoder(format, reply.url);
    // Leaving this loop closes the connection.
    for await (const chunk of reply.chunks) yield* checked(decoder.push(chunk), reply);
    yield* checked(decoder.end(), reply);
  }

  /** Ends the iteration and closes the connection. */
  close(): void {
    this.#ending.abort(closed);
  }

  /**
   * Returns the charge of a storefront after the end of the stream, by a free call. `balance_usd` is null. Null if nothing has been charged: for a
   * stream that broke off at the upstream, and for a service that is no storefront. A stream that you left may be charged later, when the upstream ends it.
   */
  async charge(): Promise<Charge.Charge | null> {
    const call = this.call;
    const known = Charge.read(this.#received);
    if (call === null || known?.cost_usd) return known;
    const reply = await this.#connection.send({
      method: 'GET',
      path: '/account/calls/{id}',
      id: call,
      twice: 'free',
    });
    return reply.status === 404 ? null : Charge.ofRecord(success(reply));
  }
}

function further(headers: Record<string, string>): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const [own] = named.find(([name]) => ownHeaders.has(name)) ?? [];
  if (own !== undefined) throw new ConfigurationError(`headers must not contain ${own}.`);
  return Object.fromEntries(named);
}

function* checked(events: Iterable<StreamEvent>, reply: Reply): Generator<StreamEvent, void, undefined> {
  for (const event of events) {
    throwIfError(event, reply);
    yield event;
  }
}

/** Throws for an event that reports an error, in the forms of storefronts and of common APIs. */
function throwIfError({ event, data }: StreamEvent, { url, headers }: Reply): void {
  const error = member<unknown>(data, 'error');
  const isError = event === 'error' || member(data, 'type') === 'error' || isObject(error);
  // Some APIs report only a text.
  if (!isError && !(typeof error === 'string' && error !== '')) return;
  const text = (name: string): string | null => {
    const value = member<unknown>(error, name) ?? member<unknown>(data, name);
    return typeof value === 'string' ? value : null;
  };
  throw new StreamError({
    message:
      text('message') ?? (typeof error === 'string' ? error : `The stream of ${url} reported an error`),
    code: text('code'),
    body: data,
    request_id: text('request_id') ?? headers.get('x-request-id'),
  });
}
