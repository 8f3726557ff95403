import * as Reply from './reply.ts';

/** Whom we say we are, and whom we ask for. */
export type Plan = {
  helo: string;
  from: string;
  /** Of one domain, in the form of `EmailAddress.parse`: nothing in them can end a line. */
  emails: readonly string[];
  /** An address of the same domain that nobody has, the same each time: who accepts it accepts everybody. */
  decoy: string;
  /** Whether to encrypt where the server offers it. */
  encrypts: boolean;
};

/** What to do next: say a line, or only listen (null), and wait for a reply; encrypt; or say goodbye. */
export type Step = { kind: 'say'; line: string | null } | { kind: 'encrypt' } | { kind: 'leave' };
/** What came of it. `broken` ends the conversation: nothing more can be said. */
export type Heard =
  | { kind: 'reply'; reply: Reply.Reply }
  | { kind: 'encrypted' }
  | { kind: 'broken'; why: Break };
export type Break = 'closed' | 'timeout' | 'malformed' | 'too_long' | 'out_of_turn' | 'tls' | 'unreachable';

/** What a server said of each address. Who is not in `meanings` was not asked for, for the reason in `trouble`. */
export type Outcome = {
  meanings: ReadonlyMap<string, Reply.Meaning>;
  /** Null where it was not asked for. */
  decoy: Reply.Meaning | null;
  trouble: Trouble | null;
};
export type Trouble = Break | 'greeting' | 'hello' | 'sender' | 'closing';

export type Conversation = Generator<Step, Outcome, Heard>;

/** A reply, or the trouble that took its place. */
type Answer = Reply.Reply | Trouble;

/**
 * The client's side of an SMTP conversation up to `RCPT TO`, and never further: there is no `DATA` in it, so nothing is
 * ever sent to anybody. Who drives it says and hears; nothing here touches a socket, so every turn can be tested.
 */
export function* hold(plan: Plan): Conversation {
  const meanings = new Map<string, Reply.Meaning>();
  const trouble = yield* enter(plan);
  if (trouble !== null) return { meanings, decoy: null, trouble };
  for (const email of plan.emails) {
    const answer = yield* say(`RCPT TO:<${email}>`);
    if (typeof answer === 'string') return { meanings, decoy: null, trouble: answer };
    meanings.set(email, Reply.meaning(answer));
  }
  // Also where all were put off: who is greylisted together is accepted together.
  const isAsked = [...meanings.values()].some(({ kind }) => kind !== 'refused');
  const answer = isAsked ? yield* say(`RCPT TO:<${plan.decoy}>`) : null;
  if (typeof answer === 'string') return { meanings, decoy: null, trouble: answer };
  yield { kind: 'leave' };
  return { meanings, decoy: answer && Reply.meaning(answer), trouble: null };
}

/** From the greeting to where recipients may be named; gives the trouble on the way, or null. */
function* enter(plan: Plan): Generator<Step, Trouble | null, Heard> {
  const greeting = yield* say(null);
  if (typeof greeting === 'string') return greeting;
  if (greeting.code !== 220) return yield* leave('greeting');
  let hello = yield* greet(plan.helo);
  if (typeof hello === 'string') return hello;
  if (plan.encrypts && Reply.extensions(hello).has('STARTTLS')) {
    const ready = yield* say('STARTTLS');
    if (typeof ready === 'string') return ready;
    if (ready.code === 220) {
      const heard = yield { kind: 'encrypt' };
      if (heard.kind === 'broken') return heard.why;
      // What was said in the clear counts no more (RFC 3207, 4.2).
      hello = yield* greet(plan.helo);
      if (typeof hello === 'string') return hello;
    }
  }
  if (hello.code !== 250) return yield* leave('hello');
  const sender = yield* say(`MAIL FROM:<${plan.from}>`);
  if (typeof sender === 'string') return sender;
  return sender.code === 250 ? null : yield* leave('sender');
}

/** EHLO, or HELO for those who do not know it. */
function* greet(helo: string): Generator<Step, Answer, Heard> {
  const extended = yield* say(`EHLO ${helo}`);
  if (typeof extended === 'string' || extended.code < 500) return extended;
  const plain = yield* say(`HELO ${helo}`);
  // Whatever it lists, it has no extensions.
  return typeof plain === 'string' ? plain : { ...plain, lines: [] };
}

function* say(line: string | null): Generator<Step, Answer, Heard> {
  const heard = yield { kind: 'say', line };
  switch (heard.kind) {
    case 'broken':
      return heard.why;
    case 'encrypted':
      throw new TypeError('encrypted without having been asked to');
    case 'reply':
      // Whatever was said, the server is on its way out (RFC 5321, 3.8).
      return heard.reply.code === 421 ? 'closing' : heard.reply;
  }
}

function* leave(trouble: Trouble): Generator<Step, Trouble, Heard> {
  yield { kind: 'leave' };
  return trouble;
}
