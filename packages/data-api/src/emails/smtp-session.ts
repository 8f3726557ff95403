import * as Reply from './reply.ts';

/** The identity to present and the addresses to ask about. */
export type Plan = {
  helo: string;
  from: string;
  /** Addresses of one domain, normalized by `EmailAddress.parse`, so they cannot contain line breaks. */
  emails: readonly string[];
  /** A fixed random address of the same domain. A server that accepts it accepts every address (catch-all). */
  decoy: string;
  /** True upgrades to TLS if the server offers STARTTLS. */
  encrypts: boolean;
};

/** The next action: send a line (null: only listen) and wait for a reply, start TLS, or quit. */
export type Step = { kind: 'say'; line: string | null } | { kind: 'encrypt' } | { kind: 'leave' };
/** Result of a step. After `broken` the connection is unusable. */
export type StepResult =
  | { kind: 'reply'; reply: Reply.Reply }
  | { kind: 'encrypted' }
  | { kind: 'broken'; why: Break };
export type Break = 'closed' | 'timeout' | 'malformed' | 'too_long' | 'out_of_turn' | 'tls' | 'unreachable';

/** Replies by address. An address missing from `meanings` was not asked about, for the reason in `trouble`. */
export type Outcome = {
  meanings: ReadonlyMap<string, Reply.Meaning>;
  /** Reply about the decoy; null if it was not asked about. */
  decoy: Reply.Meaning | null;
  trouble: Trouble | null;
};
export type Trouble = Break | 'greeting' | 'hello' | 'sender' | 'closing';

export type Conversation = Generator<Step, Outcome, StepResult>;

/** A reply, or the reason why there is none. */
type Answer = Reply.Reply | Trouble;

/**
 * The client's side of an SMTP session up to `RCPT TO`. It never sends `DATA`, so no mail is ever delivered. The
 * generator does no I/O: its caller performs each step and passes the result back, so every path can be tested.
 */
export function* session(plan: Plan): Conversation {
  const meanings = new Map<string, Reply.Meaning>();
  const trouble = yield* enter(plan);
  if (trouble !== null) return { meanings, decoy: null, trouble };
  for (const email of plan.emails) {
    const answer = yield* say(`RCPT TO:<${email}>`);
    if (typeof answer === 'string') return { meanings, decoy: null, trouble: answer };
    meanings.set(email, Reply.meaning(answer));
  }
  // Ask about the decoy even if all addresses were deferred, so that it passes greylisting together with them.
  const isAsked = [...meanings.values()].some(({ kind }) => kind !== 'refused');
  const answer = isAsked ? yield* say(`RCPT TO:<${plan.decoy}>`) : null;
  if (typeof answer === 'string') return { meanings, decoy: null, trouble: answer };
  yield { kind: 'leave' };
  return { meanings, decoy: answer && Reply.meaning(answer), trouble: null };
}

/** Runs the session up to MAIL FROM. Returns the reason for a failure, or null. */
function* enter(plan: Plan): Generator<Step, Trouble | null, StepResult> {
  const greeting = yield* say(null);
  if (typeof greeting === 'string') return greeting;
  if (greeting.code !== 220) return yield* leave('greeting');
  let hello = yield* greet(plan.helo);
  if (typeof hello === 'string') return hello;
  if (plan.encrypts && Reply.extensions(hello).has('STARTTLS')) {
    const ready = yield* say('STARTTLS');
    if (typeof ready === 'string') return ready;
    if (ready.code === 220) {
      const result = yield { kind: 'encrypt' };
      if (result.kind === 'broken') return result.why;
      // Discard the extensions learned before TLS (RFC 3207, 4.2).
      hello = yield* greet(plan.helo);
      if (typeof hello === 'string') return hello;
    }
  }
  if (hello.code !== 250) return yield* leave('hello');
  const sender = yield* say(`MAIL FROM:<${plan.from}>`);
  if (typeof sender === 'string') return sender;
  return sender.code === 250 ? null : yield* leave('sender');
}

/** Sends EHLO, or HELO to servers that do not support EHLO. */
function* greet(helo: string): Generator<Step, Answer, StepResult> {
  const extended = yield* say(`EHLO ${helo}`);
  if (typeof extended === 'string' || extended.code < 500) return extended;
  const plain = yield* say(`HELO ${helo}`);
  // A reply to HELO cannot announce extensions.
  return typeof plain === 'string' ? plain : { ...plain, lines: [] };
}

function* say(line: string | null): Generator<Step, Answer, StepResult> {
  const result = yield { kind: 'say', line };
  switch (result.kind) {
    case 'broken':
      return result.why;
    case 'encrypted':
      throw new TypeError('encrypted without having been asked to');
    case 'reply':
      // The server is shutting down, whatever the command was (RFC 5321, 3.8).
      return result.reply.code === 421 ? 'closing' : result.reply;
  }
}

function* leave(trouble: Trouble): Generator<Step, Trouble, StepResult> {
  yield { kind: 'leave' };
  return trouble;
}
