import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@sluice/kernel/clock';
import { SMTPServer } from 'smtp-server';
import type { Config } from './config.ts';
import * as Message from './message.ts';
import * as Page from './page.ts';
import * as PageScript from './page-script.ts';

/** The oldest goes when there are more. */
const messagesMax = 100;
const messageBytesMax = 1024 * 1024;
const clientsMax = 20;
const silenceMs = 10_000;
const closeMs = 2_000;
/** Response headers of the page, which is only read. Its one script asks for new mail. */
const security = {
  'content-security-policy': `default-src 'none'; script-src ${PageScript.source}; connect-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

export type Running = {
  /** Of the page. */
  url: string;
  /** For SMTP_URL. */
  smtpUrl: string;
  close(): Promise<void>;
};

/** Takes mail for anybody and shows it: by SMTP in, by HTTP out. Rejects where a port is taken. */
export async function start(config: Config, clock: Clock): Promise<Running> {
  const messages: Message.Message[] = [];
  let received = 0;
  const smtp = new SMTPServer({
    banner: 'sandbox mailbox',
    // The server listens on this machine only, so it needs neither authentication nor a certificate.
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: messageBytesMax,
    maxClients: clientsMax,
    socketTimeout: silenceMs,
    closeTimeout: closeMs,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      // A message above the maximum size is read to its end and dropped, because SMTP can report the error only after the last byte.
      stream.on('data', (chunk: Buffer) => !stream.sizeExceeded && chunks.push(chunk));
      stream.on('error', done);
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(Object.assign(new Error('Too large'), { responseCode: 552 }));
        received += 1;
        messages.push({
          number: received,
          receivedAt: new Date(clock()).toISOString(),
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          ...Message.read(Buffer.concat(chunks)),
        });
        if (messages.length > messagesMax) messages.shift();
        done();
      });
    },
  });
  // A client that breaks off, or speaks nonsense, has lost its connection; that is all.
  smtp.on('error', () => {});
  const taking = smtp.listen(config.smtpPort, config.host);
  await once(taking, 'listening');
  const showing = await show(config, messages);
  const at = (port: number) => `${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  return {
    url: `http://${at((showing.address() as AddressInfo).port)}`,
    smtpUrl: `smtp://${at((taking.address() as AddressInfo).port)}`,
    async close() {
      showing.close();
      showing.closeAllConnections();
      await new Promise<void>((resolve) => smtp.close(() => resolve()));
    },
  };
}

/** `/`: the page. `/mails?to=...`: the same as JSON, the oldest first. */
async function show(config: Config, messages: readonly Message.Message[]): Promise<Server> {
  const server = createServer((request, response) => {
    const asked = URL.parse(request.url ?? '', 'http://mailbox');
    const pathname = asked?.pathname;
    const to = asked?.searchParams.get('to') || null;
    const mine = messages.filter((message) => to === null || message.to.includes(to));
    if (request.method !== 'GET' || (pathname !== '/' && pathname !== '/mails')) {
      response.writeHead(404, security).end();
    } else if (pathname === '/') {
      response
        .writeHead(200, { ...security, 'content-type': 'text/html; charset=utf-8' })
        .end(Page.render(mine, to, [...new Set(messages.flatMap((message) => message.to))].sort()));
    } else {
      response
        .writeHead(200, { ...security, 'content-type': 'application/json' })
        .end(JSON.stringify({ mails: mine }));
    }
  });
  server.listen(config.port, config.host);
  await once(server, 'listening');
  return server;
}
