import { connect, type Socket } from 'node:net';
import * as tls from 'node:tls';
import type { Break, Conversation, Heard, Outcome, Step } from '../emails/conversation.ts';
import * as Reply from '../emails/reply.ts';
import type { Wire } from '../emails/visit.ts';

/** How long a server may take, in milliseconds. */
export type Patience = {
  connectMsMax: number;
  /** From what we say to the end of the reply, however it trickles in. */
  replyMsMax: number;
  conversationMsMax: number;
  /** How long a server may take to say goodbye. */
  leaveMsMax: number;
};
const usual: Patience = {
  connectMsMax: 10_000,
  replyMsMax: 30_000,
  conversationMsMax: 90_000,
  leaveMsMax: 2_000,
};

/** SMTP over TCP, and TLS where it is offered. Each conversation has a connection of its own, which never outlives it. */
export function smtp(patience: Patience = usual): Wire {
  return {
    async hold({ address, port, name }, conversation, signal) {
      const socket = connect({ host: address, port, noDelay: true });
      const line = new Line(socket, name, patience);
      const end = AbortSignal.any([signal, AbortSignal.timeout(patience.conversationMsMax)]);
      const cut = () => line.fail('timeout');
      end.addEventListener('abort', cut, { once: true });
      try {
        return await drive(line, conversation);
      } finally {
        end.removeEventListener('abort', cut);
        line.close();
      }
    },
  };
}

async function drive(line: Line, conversation: Conversation): Promise<Outcome> {
  for (let turn = conversation.next(); ; ) {
    if (turn.done) return turn.value;
    turn = conversation.next(await line.take(turn.value));
  }
}

type Waiting = { resolve(heard: Heard): void; timer: NodeJS.Timeout };

/** One connection: says what it is told to, and gives what came of it. */
class Line {
  #socket: Socket;
  readonly #name: string;
  readonly #patience: Patience;
  #reader = new Reply.Reader();
  #waiting: Waiting | null = null;
  #why: Break | null = null;
  #isConnected = false;
  #isEncrypting = false;

  constructor(socket: Socket, name: string, patience: Patience) {
    this.#socket = socket;
    this.#name = name;
    this.#patience = patience;
    socket.once('connect', () => {
      this.#isConnected = true;
      this.#allow(patience.replyMsMax);
    });
    this.#listen(socket);
  }

  take(step: Step): Promise<Heard> {
    switch (step.kind) {
      case 'encrypt':
        return this.#encrypt();
      case 'leave':
        return this.#say('QUIT', this.#patience.leaveMsMax);
      case 'say':
        return this.#say(
          step.line,
          this.#isConnected ? this.#patience.replyMsMax : this.#patience.connectMsMax,
        );
    }
  }

  /** Ends the connection for a reason; the first one counts. */
  fail(why: Break): void {
    this.#why ??= this.#isEncrypting ? 'tls' : this.#isConnected ? why : 'unreachable';
    this.#socket.destroy();
    this.#answer({ kind: 'broken', why: this.#why });
  }

  close(): void {
    this.#why ??= 'closed';
    this.#socket.destroy();
  }

  #say(line: string | null, msMax: number): Promise<Heard> {
    if (this.#why !== null) return Promise.resolve({ kind: 'broken', why: this.#why });
    // An answer that was there before its question is no answer to it.
    if (line !== null && this.#reader.isAhead) {
      this.fail('out_of_turn');
      return this.#say(line, msMax);
    }
    if (line !== null) this.#socket.write(`${line}\r\n`);
    return this.#wait(msMax);
  }

  #encrypt(): Promise<Heard> {
    // What came in the clear after the go-ahead was put there by somebody else.
    if (this.#reader.isAhead) this.fail('out_of_turn');
    if (this.#why !== null) return Promise.resolve({ kind: 'broken', why: this.#why });
    const plain = this.#socket;
    plain.removeAllListeners('data');
    this.#isEncrypting = true;
    const heard = this.#wait(this.#patience.connectMsMax);
    // Opportunistic, as between mail servers (RFC 7435): it is against those who listen, and proves nobody's name.
    const servername = /^[a-z0-9._-]*[a-z][a-z0-9._-]*$/.test(this.#name) ? { servername: this.#name } : {};
    const secure = tls.connect({ socket: plain, rejectUnauthorized: false, ...servername });
    this.#socket = secure;
    this.#listen(secure);
    secure.once('secureConnect', () => {
      this.#isEncrypting = false;
      this.#reader = new Reply.Reader();
      this.#answer({ kind: 'encrypted' });
    });
    return heard;
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => this.#hear(chunk.toString('latin1')));
    // More than one may come, and one that nobody listens to would end the program.
    socket.on('error', () => this.fail('closed'));
    socket.on('close', () => this.fail('closed'));
  }

  #hear(arrived: string): void {
    const reading = this.#reader.read(arrived);
    if (reading === 'malformed' || reading === 'too_long') this.fail(reading);
    else if (reading !== 'incomplete') {
      if (this.#waiting === null) this.fail('out_of_turn');
      else this.#answer({ kind: 'reply', reply: reading });
    }
  }

  #wait(msMax: number): Promise<Heard> {
    return new Promise((resolve) => {
      this.#waiting = { resolve, timer: setTimeout(() => this.fail('timeout'), msMax) };
    });
  }

  /** Gives whoever waits so long from now. */
  #allow(msMax: number): void {
    if (this.#waiting === null) return;
    clearTimeout(this.#waiting.timer);
    this.#waiting.timer = setTimeout(() => this.fail('timeout'), msMax);
  }

  #answer(heard: Heard): void {
    if (this.#waiting === null) return;
    clearTimeout(this.#waiting.timer);
    this.#waiting.resolve(heard);
    this.#waiting = null;
  }
}
