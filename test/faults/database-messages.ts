/** One message of PostgreSQL's protocol (version 3), as sent. */
export type Message = { type: string; bytes: Buffer };

/** Splits a stream into messages. A client's first message has no type; here its type is `startup`. */
export class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #isFirst: boolean;

  constructor(fromClient: boolean) {
    this.#isFirst = fromClient;
  }

  add(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /** Returns the next complete message. */
  take(): Message | null {
    const head = this.#isFirst ? 0 : 1;
    if (this.#rest.length < head + 4) return null;
    const length = head + this.#rest.readInt32BE(head);
    if (this.#rest.length < length) return null;
    const type = this.#isFirst ? 'startup' : String.fromCharCode(this.#rest[0] ?? 0);
    this.#isFirst = false;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return { type, bytes };
  }
}

/** The statements that faults aim at, identified by a part of their text. */
const named: [text: string, name: string][] = [
  ['ledger.batch(', 'batch'],
  ['ledger.acquire_idempotency_key(', 'idempotencyKey'],
  ['ledger.release_idempotency_keys(', 'idempotencyKey given up'],
  ['ledger.credit_undelivered(', 'giving back'],
  ['ledger.open_writer(', 'writer opened'],
  ['ledger.close_writer(', 'writer closed'],
  ['ledger.reap_silent(', 'reaping'],
];
/** Indexes of the parameters of `ledger.batch` for the calls that it settles and for its lease requests. */
const settledParameter = 5;
const wantedParameter = 27;

/** Follows one connection: the statement that was sent, and the one that the database has just completed. */
export class Statements {
  /** Names of prepared statements. */
  readonly #prepared = new Map<string, string>();
  readonly #underWay: (string | null)[] = ['startup'];
  #bound: string | null = null;

  /** Takes a message of the client. Returns the name of the statement that it starts. */
  sent({ type, bytes }: Message): string | null {
    if (type === 'P') {
      const [statement, text] = strings(bytes, 5, 2);
      const name = named.find(([part]) => text?.includes(part))?.[1];
      if (statement !== undefined && name) this.#prepared.set(statement, name);
    } else if (type === 'B') {
      const [portal = '', statement = ''] = strings(bytes, 5, 2);
      const name = this.#prepared.get(statement) ?? null;
      this.#bound = name === 'batch' ? kindOf(bytes, 5 + portal.length + 1 + statement.length + 1) : name;
    } else if (type === 'S' || type === 'Q') {
      const name = this.#bound;
      this.#bound = null;
      this.#underWay.push(name);
      return name;
    }
    return null;
  }

  /** Takes a message of the server. Returns the name of the statement that it completes. */
  answered({ type }: Message): string | null {
    return type === 'Z' ? (this.#underWay.shift() ?? null) : null;
  }
}

/** Returns the main purpose of a batch: it settles calls, leases credit, or is a heartbeat. */
function kindOf(bind: Buffer, from: number): string {
  let at = from + 2 + 2 * bind.readInt16BE(from);
  const count = bind.readInt16BE(at);
  at += 2;
  let name = 'heartbeat';
  for (let index = 0; index < count; index++) {
    const length = bind.readInt32BE(at);
    const isEmpty = length <= 2;
    if (index === settledParameter && !isEmpty) return 'settlement';
    if (index === wantedParameter && !isEmpty) name = 'hold';
    at += 4 + Math.max(0, length);
  }
  return name;
}

function strings(bytes: Buffer, from: number, count: number): string[] {
  const found: string[] = [];
  for (let at = from; found.length < count; ) {
    const end = bytes.indexOf(0, at);
    found.push(bytes.toString('latin1', at, end));
    at = end + 1;
  }
  return found;
}
