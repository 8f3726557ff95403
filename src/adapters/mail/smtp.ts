import { createTransport } from 'nodemailer';
import type { Mailer } from '../../identity/mail.ts';

/** A mail server that does not answer in these is away: somebody waits for the answer meanwhile. */
const connectMs = 5_000;
const greetingMs = 5_000;
const silenceMs = 8_000;
const dnsMs = 4_000;
/** A program answers no mail to a program (RFC 3834). */
const headers = { 'Auto-Submitted': 'auto-generated' };

export type Settings = {
  /** `smtp://user:password@host:587`, or `smtps://...:465`. */
  url: string;
  /** `Shop <shop@example.com>`. */
  from: string;
  /** Told of mail that did not go: neither the address nor the text. */
  report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
};

/** Greets the server, and signs in where the address says as whom; sends nothing. Throws the server's own words where it does not answer so. */
export async function greet(url: string): Promise<void> {
  const transport = connect(url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** TLS from the start or by STARTTLS (RFC 3207), and without it only on this machine. */
function connect(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return createTransport({
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

/** Mail by SMTP (RFC 5321). */
export function open({ url, from, report }: Settings): Mailer {
  const transport = connect(url);
  return {
    async send({ to, subject, text }) {
      try {
        // Given as an object, the address is not read for names, groups or further addresses.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, headers });
        return 'sent';
      } catch (error) {
        // The message may hold the address.
        const { code, command, responseCode } = error as Readonly<Record<string, unknown>>;
        const refused = command === 'RCPT TO' && Number(responseCode) >= 500;
        report(refused ? 'mail_refused' : 'mail_failed', { code, command, responseCode });
        return refused ? 'refused' : 'away';
      }
    },
  };
}
