import { connect, type Socket } from 'node:net';
import * as tls from 'node:tls';
import type { Transport } from '../emails/probe.ts';
import * as Reply from '../emails/reply.ts';
import type { Break, Conversation, Outcome, Step, StepResult } from '../emails/smtp-session.ts';

/** Timeouts of an SMTP session, in milliseconds. */
export type SmtpTimeouts = {
  connectMsMax: number;
  /** From sending a command to the end of the reply. */
  replyMsMax: number;
  conversationMsMax: number;
  /** From QUIT to the reply. */
  leaveMsMax: number;
};
const usual: SmtpTimeouts = {
  connectMsMax: 10_000,
  replyMsMax: 30_000,
  conversationMsMax: 90_000,
  leaveMsMax: 2_000,
};

/** Runs SMTP sessions over TCP, with TLS where offered. Each session has its own connection, closed when it ends. */
export function smtp(timeouts: SmtpTimeouts = usual): Transport {
  return {
    async run({ address, port, name }, conversation, signal) {
      const socket = connect({ host: address, port, noDelay: true });
      const line = new Connection(socket, name, timeouts);
      const end = AbortSignal.any([signal, AbortSignal.timeout(timeouts.conversationMsMax)]);
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

async function drive(line: Connection, conversation: Conversation): Promise<Outcome> {
  for (let turn = conversation.next(); ; ) {
    if (turn.done) return turn.value;
    turn = conversation.next(await line.take(turn.value));
  }
}

type Waiting = { resolve(result: StepResult): void; timer: NodeJS.Timeout };

/** One connection: performs the steps of a session and returns their results. */
class Connection {
  #socket: Socket;
  readonly #name: string;
  readonly #timeouts: SmtpTimeouts;
  #reader = new Reply.Reader();
  #waiting: Waiting | null = null;
  #why: Break | null = null;
  #isConnected = false;
  #isEncrypting = false;

  constructor(socket: Socket, name: string, timeouts: SmtpTimeouts) {
    this.#socket = socket;
    this.#name = name;
    this.#timeouts = timeouts;
    socket.once('connect', () => {
      this.#isConnected = true;
      this.#restartTimeout(timeouts.replyMsMax);
    });
    this.#listen(socket);
  }

  take(step: Step): Promise<StepResult> {
    switch (step.kind) {
      case 'encrypt':
        return this.#encrypt();
      case 'leave':
        return this.#say('QUIT', this.#timeouts.leaveMsMax);
      case 'say':
        return this.#say(
          step.line,
          this.#isConnected ? this.#timeouts.replyMsMax : this.#timeouts.connectMsMax,
        );
    }
  }

  /** Closes the connection. The first reason is kept. */
  fail(why: Break): void {
    this.#why ??= this.#isEncrypting ? 'tls' : this.#isConnected ? why : 'unreachable';
    this.#socket.destroy();
    this.#answer({ kind: 'broken', why: this.#why });
  }

  close(): void {
    this.#why ??= 'closed';
    this.#socket.destroy();
  }

  #say(line: string | null, msMax: number): Promise<StepResult> {
    if (this.#why !== null) return Promise.resolve({ kind: 'broken', why: this.#why });
    // A reply that arrived before the command cannot be the reply to it.
    if (line !== null && this.#reader.isAhead) {
      this.fail('out_of_turn');
      return this.#say(line, msMax);
    }
    if (line !== null) this.#socket.write(`${line}\r\n`);
    return this.#wait(msMax);
  }

  #encrypt(): Promise<StepResult> {
    // Plain bytes after the reply to STARTTLS may have been injected by an attacker, so they must not be used.
    if (this.#reader.isAhead) this.fail('out_of_turn');
    if (this.#why !== null) return Promise.resolve({ kind: 'broken', why: this.#why });
    const plain = this.#socket;
    plain.removeAllListeners('data');
    this.#isEncrypting = true;
    const result = this.#wait(this.#timeouts.connectMsMax);
    // Opportunistic TLS, as usual between mail servers (RFC 7435): it prevents eavesdropping and authenticates no one.
    const servername = /^[a-z0-9._-]*[a-z][a-z0-9._-]*$/.test(this.#name) ? { servername: this.#name } : {};
    const secure = tls.connect({ socket: plain, rejectUnauthorized: false, ...servername });
    this.#socket = secure;
    this.#listen(secure);
    secure.once('secureConnect', () => {
      this.#isEncrypting = false;
      this.#reader = new Reply.Reader();
      this.#answer({ kind: 'encrypted' });
    });
    return result;
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => this.#receive(chunk.toString('latin1')));
    // There may be several errors, and an unhandled one would crash the process.
    socket.on('error', () => this.fail('closed'));
    socket.on('close', () => this.fail('closed'));
  }

  #receive(arrived: string): void {
    const reading = this.#reader.read(arrived);
    if (reading === 'malformed' || reading === 'too_long') this.fail(reading);
    else if (reading !== 'incomplete') {
      if (this.#waiting === null) this.fail('out_of_turn');
      else this.#answer({ kind: 'reply', reply: reading });
    }
  }

  #wait(msMax: number): Promise<StepResult> {
    return new Promise((resolve) => {
      this.#waiting = { resolve, timer: setTimeout(() => this.fail('timeout'), msMax) };
    });
  }

  /** Restarts the timeout of the pending step with `msMax` from now. */
  #restartTimeout(msMax: number): void {
    if (this.#waiting === null) return;
    clearTimeout(this.#waiting.timer);
    this.#waiting.timer = setTimeout(() => this.fail('timeout'), msMax);
  }

  #answer(result: StepResult): void {
    if (this.#waiting === null) return;
    clearTimeout(this.#waiting.timer);
    this.#waiting.resolve(result);
    this.#waiting = null;
  }
}
