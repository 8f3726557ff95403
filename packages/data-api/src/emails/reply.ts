/** An SMTP reply (RFC 5321, 4.2): its code, the enhanced status code of RFC 3463, and its text lines. */
export type Reply = { code: number; status: string | null; lines: readonly string[] };

/** Far above the reply line limit of RFC 5321 (4.5.3.1.5). */
const lineBytesMax = 4_096;
const linesMax = 128;

/** Result of reading: a complete reply, not enough bytes yet, or invalid input. */
export type Reading = Reply | 'incomplete' | 'malformed' | 'too_long';

/** Assembles replies from chunks of any size. Buffers at most one partial line and `linesMax` complete ones. */
export class Reader {
  #rest = '';
  #lines: string[] = [];
  #code: string | null = null;

  /** True when bytes are left after the last reply: the server sent something unsolicited. */
  get isAhead(): boolean {
    return this.#rest !== '' || this.#lines.length > 0;
  }

  /** Appends `arrived` and returns the first complete reply. Further bytes stay buffered for the next call. */
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

/** Extensions listed in the reply to EHLO, in upper case. The first line is the server's greeting. */
export function extensions({ lines }: Reply): Set<string> {
  return new Set(lines.slice(1).map((line) => line.split(' ', 1)[0]?.toUpperCase() ?? ''));
}

/** Meaning of a reply to `RCPT TO` for the address. */
export type Meaning =
  | { kind: 'accepted' }
  | { kind: 'refused'; reason: 'no_mailbox' | 'mailbox_disabled' | 'no_mail' }
  | { kind: 'inconclusive'; reason: InconclusiveReason };
/** Reasons why a reply says nothing about the address. A later attempt may. */
type InconclusiveReason = 'greylisted' | 'mailbox_full' | 'too_many' | 'policy' | 'temporary' | 'protocol';

const inconclusive = (reason: InconclusiveReason): Meaning => ({ kind: 'inconclusive', reason });
const refused = (reason: 'no_mailbox' | 'mailbox_disabled' | 'no_mail'): Meaning => ({
  kind: 'refused',
  reason,
});

/**
 * Interprets the reply to `RCPT TO`. A rejection counts against the address only if its code is about the mailbox:
 * rejections because of the sender (5.7, block lists) or temporary problems say nothing about the address.
 */
export function meaning(reply: Reply): Meaning {
  const { code, status } = reply;
  if (code === 250 || code === 251) return { kind: 'accepted' };
  if (code < 400) return inconclusive('protocol');
  return code < 500 ? temporary(reply) : permanent(code, status, reply.lines.join(' '));
}

function temporary({ status, code, lines }: Reply): Meaning {
  if (status === '4.2.2') return inconclusive('mailbox_full');
  if (status === '4.5.3' || code === 452) return inconclusive('too_many');
  return inconclusive(/gr[ae]y-?list/i.test(lines.join(' ')) ? 'greylisted' : 'temporary');
}

function permanent(code: number, status: string | null, text: string): Meaning {
  if (code === 556) return refused('no_mail');
  const [, subject, detail] = status?.split('.') ?? [];
  switch (subject) {
    case '1':
      // 5.1.7 and 5.1.8 are about the sender; 5.1.10 is the null MX of RFC 7505.
      if (detail === '7' || detail === '8') return inconclusive('policy');
      return refused(detail === '10' ? 'no_mail' : 'no_mailbox');
    case '2':
      if (detail === '1') return refused('mailbox_disabled');
      return inconclusive(detail === '2' ? 'mailbox_full' : 'temporary');
    case '4':
      // Exchange Online reports an unknown recipient as 5.4.1.
      return /recipient/i.test(text) && detail === '1' ? refused('no_mailbox') : inconclusive('temporary');
    case '7':
      return inconclusive('policy');
    case '3':
    case '5':
    case '6':
      return inconclusive('protocol');
  }
  if (/block|black|black-?list|spam|reputation|policy|banned|denied|\bip\b|dnsbl|rbl/i.test(text))
    return inconclusive('policy');
  if (code === 550 || code === 551 || code === 553) return refused('no_mailbox');
  if (code === 552) return inconclusive('mailbox_full');
  return inconclusive(code === 554 ? 'policy' : 'protocol');
}
