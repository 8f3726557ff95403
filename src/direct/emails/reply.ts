/** What an SMTP server answered (RFC 5321, 4.2): its code, the enhanced status of RFC 3463, and its words. */
export type Reply = { code: number; status: string | null; lines: readonly string[] };

/** Far above what RFC 5321 (4.5.3.1.5) allows a line, and any server has to say. */
const lineBytesMax = 4_096;
const linesMax = 128;

/** What became of the bytes so far: a whole reply, none yet, or something that is no reply. */
export type Reading = Reply | 'incomplete' | 'malformed' | 'too_long';

/** Puts replies together from what arrives, however it is cut; keeps at most one line and `linesMax` read ones. */
export class Reader {
  #rest = '';
  #lines: string[] = [];
  #code: string | null = null;

  /** Whether more has come than was taken: a server that speaks before it is asked. */
  get isAhead(): boolean {
    return this.#rest !== '' || this.#lines.length > 0;
  }

  /** Takes what arrived, and gives the reply that is complete. What comes after it stays for the next call. */
  read(arrived: string): Reading {
    this.#rest += arrived;
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end > lineBytesMax || (end < 0 && this.#rest.length > lineBytesMax)) return 'too_long';
      if (end < 0) return 'incomplete';
      const line = this.#rest.slice(0, end).replace(/\r$/, '');
      this.#rest = this.#rest.slice(end + 1);
      const [, code, dash, text = ''] = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(line) ?? [];
      if (code === undefined || (this.#code !== null && code !== this.#code)) return 'malformed';
      this.#code = code;
      if (this.#lines.push(text) > linesMax) return 'too_long';
      if (dash === '-') continue;
      const reply = of(Number(code), this.#lines);
      this.#lines = [];
      this.#code = null;
      return reply;
    }
  }
}

function of(code: number, lines: readonly string[]): Reply {
  const [status = null] = /^[245]\.\d{1,3}\.\d{1,3}(?= |$)/.exec(lines[0] ?? '') ?? [];
  return { code, status, lines };
}

/** The extensions that an answer to EHLO names, in capitals. The first line is the server's name. */
export function extensions({ lines }: Reply): Set<string> {
  return new Set(lines.slice(1).map((line) => line.split(' ', 1)[0]?.toUpperCase() ?? ''));
}

/** What an answer to `RCPT TO` says of the address. */
export type Meaning =
  | { kind: 'accepted' }
  | { kind: 'refused'; reason: 'no_mailbox' | 'mailbox_disabled' | 'no_mail' }
  | { kind: 'untold'; reason: Untold };
/** Why an answer says nothing of the address: another try, at another time, may. */
type Untold = 'greylisted' | 'mailbox_full' | 'too_many' | 'policy' | 'temporary' | 'protocol';

const untold = (reason: Untold): Meaning => ({ kind: 'untold', reason });
const refused = (reason: 'no_mailbox' | 'mailbox_disabled' | 'no_mail'): Meaning => ({
  kind: 'refused',
  reason,
});

/**
 * Reads the answer to `RCPT TO`. A refusal counts against the address only where the code says that it is about the
 * mailbox: one for the sake of who asks (5.7, block lists) or of the moment says nothing.
 */
export function meaning(reply: Reply): Meaning {
  const { code, status } = reply;
  if (code === 250 || code === 251) return { kind: 'accepted' };
  if (code < 400) return untold('protocol');
  return code < 500 ? temporary(reply) : permanent(code, status, reply.lines.join(' '));
}

function temporary({ status, code, lines }: Reply): Meaning {
  if (status === '4.2.2') return untold('mailbox_full');
  if (status === '4.5.3' || code === 452) return untold('too_many');
  return untold(/gr[ae]y-?list/i.test(lines.join(' ')) ? 'greylisted' : 'temporary');
}

function permanent(code: number, status: string | null, text: string): Meaning {
  if (code === 556) return refused('no_mail');
  const [, subject, detail] = status?.split('.') ?? [];
  switch (subject) {
    case '1':
      // 5.1.7 and 5.1.8 are about the sender; 5.1.10 is the null MX of RFC 7505.
      if (detail === '7' || detail === '8') return untold('policy');
      return refused(detail === '10' ? 'no_mail' : 'no_mailbox');
    case '2':
      if (detail === '1') return refused('mailbox_disabled');
      return untold(detail === '2' ? 'mailbox_full' : 'temporary');
    case '4':
      // Where Exchange Online has no such recipient it says so as 5.4.1.
      return /recipient/i.test(text) && detail === '1' ? refused('no_mailbox') : untold('temporary');
    case '7':
      return untold('policy');
    case '3':
    case '5':
    case '6':
      return untold('protocol');
  }
  if (/block|black|black-?list|spam|reputation|policy|banned|denied|\bip\b|dnsbl|rbl/i.test(text))
    return untold('policy');
  if (code === 550 || code === 551 || code === 553) return refused('no_mailbox');
  if (code === 552) return untold('mailbox_full');
  return untold(code === 554 ? 'policy' : 'protocol');
}
