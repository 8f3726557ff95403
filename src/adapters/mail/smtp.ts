import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Mailer, Posted } from '../../identity/mail.ts';

type Waits = { connectMs: number; greetingMs: number; silenceMs: number };

/** Timeouts of RFC 5321, section 4.5.3.2: five minutes for the greeting, ten for accepting the end of a message. */
const deliveryWaits: Waits = { connectMs: 30_000, greetingMs: 5 * 60_000, silenceMs: 10 * 60_000 };
/** Timeouts while a person waits at a terminal. */
const checkWaits: Waits = { connectMs: 5_000, greetingMs: 5_000, silenceMs: 8_000 };
const dnsMs = 4_000;
/** Marks the mail as automatic, so that programs do not reply to it (RFC 3834). */
const headers = { 'Auto-Submitted': 'auto-generated' };

export type SmtpSettings = {
  /** `smtp://user:password@host:587`, or `smtps://...:465`. */
  url: string;
  /** `Shop <shop@example.com>`. */
  from: string;
  /** The host name for EHLO and for Message-IDs. */
  name: string;
  /** Receives delivery failures, without the address and the text. */
  report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
  /** Shorter timeouts, for tests. */
  waits?: Waits;
};

/**
 * Connects to the server, signs in when the URL has credentials, and disconnects; sends no mail. Throws with the server's own
 * message when the server does not accept that.
 */
export async function greet(url: string, name: string): Promise<void> {
  const transport = connect(url, name, checkWaits);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** Uses TLS from the start or by STARTTLS (RFC 3207); only a server on this machine may go without it. */
function connect(url: string, name: string, { connectMs, greetingMs, silenceMs }: Waits) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return createTransport({
    name,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isHere,
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    socketTimeout: silenceMs,
    dnsTimeout: dnsMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Opens a mailer that sends by SMTP (RFC 5321). */
export function openMailer({ url, from, name, report, waits = deliveryWaits }: SmtpSettings): Mailer {
  const transport = connect(url, name, waits);
  return {
    async send({ to, subject, text }, id) {
      const messageId = `<${createHash('sha256').update(id).digest('hex').slice(0, 40)}@${name}>`;
      try {
        // As an object, the address is not parsed for names, groups or further addresses.
        const recipient = { name: '', address: to };
        await transport.sendMail({ from, to: recipient, subject, text, headers, messageId });
        return 'sent';
      } catch (error) {
        // The error's message is not reported, because it may contain the address.
        const { code, command, responseCode, response } = error as Readonly<Record<string, unknown>>;
        const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(response ?? ''))?.[1] ?? null;
        const posted = judge(String(code), String(command), Number(responseCode), enhanced);
        report(events[posted], { code, command, responseCode, enhanced });
        return posted;
      }
    },
  };
}

const events = { refused: 'mail_refused', rejected: 'mail_rejected', away: 'mail_failed' } as const;
/** Codes for a mailbox that does not exist or accepts no mail, from servers without enhanced codes (RFC 5321, section 4.2.3). */
const noMailbox = [550, 551, 552, 553];

/**
 * Distinguishes a mailbox that does not exist from a server that accepts no mail from us. Enhanced codes (RFC 3463): x.1 and x.2
 * are about the recipient's address and mailbox, except x.1.7 and x.1.8, which are about the sender's address. x.7 is about security and
 * policy, which the operator has to fix.
 */
function judge(
  code: string,
  command: string,
  status: number,
  enhanced: string | null,
): Exclude<Posted, 'sent'> {
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'rejected';
  if (!(status >= 500)) return 'away';
  if (command !== 'RCPT TO') return 'rejected';
  const isAddress = enhanced === null ? noMailbox.includes(status) : /^5\.[12]\.(?![78]$)/.test(enhanced);
  return isAddress ? 'refused' : 'rejected';
}
