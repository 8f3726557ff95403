import { APIConnectionError, ResponseValidationError } from './errors.ts';

/** One event of a stream. */
export interface StreamEvent {
  /** Name of a server-sent event; null if it has none, and for a line of NDJSON. */
  event: string | null;
  id: string | null;
  /** The JSON value, or the text if it is not JSON. */
  data: unknown;
}

export type StreamFormat = 'sse' | 'ndjson';

/** Characters of one event at most, so that a stream without line ends cannot fill the memory. */
const eventCharsMax = 8 * 2 ** 20;

/** Returns the format of a response by its content type; null if it is no stream. */
export function formatOf(headers: Headers): StreamFormat | null {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return 'sse';
  return /^application\/(x-ndjson|ndjson|jsonl|x-jsonl|json-seq|stream\+json)$/.test(type) ? 'ndjson' : null;
}

/** Splits the bytes of a stream into events: server-sent events (WHATWG), or a JSON value on each line. */
export class EventDecoder {
  readonly #format: StreamFormat;
  readonly #url: string;
  readonly #utf8 = new TextDecoder();
  /** The line that has not ended yet. */
  #rest = '';
  #endsInCr = false;
  #name: string | null = null;
  #id: string | null = null;
  #data: string[] = [];
  #chars = 0;

  constructor(format: StreamFormat, url: string) {
    this.#format = format;
    this.#url = url;
  }

  /** Returns the events that are complete with these bytes. Throws `ResponseValidationError` above the limit of an event. */
  *push(bytes: Uint8Array): Generator<StreamEvent, void, undefined> {
    let text = this.#utf8.decode(bytes, { stream: true });
    if (text === '') return;
    // The line end may be split between two pieces.
    if (this.#endsInCr && text.startsWith('\n')) text = text.slice(1);
    this.#endsInCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() ?? '';
    for (const line of lines) yield* this.#line(line);
    if (this.#chars + this.#rest.length > eventCharsMax) this.#tooLong();
  }

  /** The stream has ended cleanly. Returns its last event. Throws `APIConnectionError` if that is incomplete. */
  *end(): Generator<StreamEvent, void, undefined> {
    const rest = this.#rest;
    this.#rest = '';
    if (this.#format === 'ndjson') {
      if (rest.trim() !== '' && parsed(rest) === rest) throw this.#incomplete();
      yield* this.#line(rest);
    } else {
      if (rest !== '' && !rest.startsWith(':')) throw this.#incomplete();
      yield* this.#line('');
    }
  }

  *#line(line: string): Generator<StreamEvent, void, undefined> {
    if (this.#format === 'ndjson') {
      // Records of `json-seq` begin with a record separator.
      const text = line.startsWith('\u001e') ? line.slice(1) : line;
      if (text.trim() !== '') yield { event: null, id: null, data: parsed(text) };
      return;
    }
    if (line === '') {
      const data = this.#data.join('\n');
      const event = { event: this.#name, id: this.#id, data: parsed(data) };
      const isEmpty = this.#data.length === 0;
      this.#name = null;
      this.#id = null;
      this.#data = [];
      this.#chars = 0;
      if (!isEmpty) yield event;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    this.#chars += line.length;
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#name = value;
    else if (field === 'id') this.#id = value;
    if (this.#chars > eventCharsMax) this.#tooLong();
  }

  #tooLong(): never {
    throw new ResponseValidationError(`An event of ${this.#url} has more than ${eventCharsMax} characters`);
  }

  #incomplete(): APIConnectionError {
    return new APIConnectionError(`The stream of ${this.#url} ended in the middle of an event`);
  }
}

/** Returns the JSON value of a text, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
