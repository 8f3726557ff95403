import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type MailServer = {
  /** What clients have said, line by line, of all connections. */
  said: string[];
  connections(): number;
  /** The most connections that there were at once. */
  mostAtOnce(): number;
  encrypted(): number;
  close(): Promise<void>;
};

export type Place = { host: string; port: number };
/** What becomes of `RCPT TO`: accepted, refused with a code and its words, or the end of the connection. */
export type Recipients = (email: string) => { code: number; text: string } | null | 'cut';

/** An ordinary mail server (npm smtp-server) that offers STARTTLS and has the recipients that `recipients` accepts. */
export async function ordinary({ host, port }: Place, recipients: Recipients): Promise<MailServer> {
  const said: string[] = [];
  let [connections, current, most, encrypted] = [0, 0, 0, 0];
  const server = new SMTPServer({
    disabledCommands: ['AUTH'],
    logger: false,
    onConnect(_session, done) {
      connections++;
      most = Math.max(most, ++current);
      done();
    },
    onClose: () => void current--,
    onMailFrom(address, session, done) {
      said.push(`HELLO ${session.hostNameAppearsAs}`, `MAIL FROM:<${address.address}>`);
      if (session.secure) encrypted++;
      done();
    },
    onRcptTo({ address }, _session, done) {
      said.push(`RCPT TO:<${address}>`);
      const refusal = recipients(address);
      if (refusal === 'cut') return cut(server);
      done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData(_stream, _session, done) {
      said.push('DATA');
      done();
    },
  });
  // Who leaves in the middle is meant to.
  server.on('error', () => {});
  server.listen(port, host);
  await once(server.server, 'listening');
  return {
    said,
    connections: () => connections,
    mostAtOnce: () => most,
    encrypted: () => encrypted,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Ends all connections, without a word; the types of the package know nothing of them. */
function cut(server: SMTPServer): void {
  const { connections } = server as unknown as { connections: Set<{ _socket: Socket }> };
  for (const { _socket } of connections) _socket.destroy();
}

/** What a scripted server does at a turn: says that, or does something to the socket. `line` is null at the beginning. */
export type Script = (line: string | null, socket: Socket) => string | null;

/** A server that does as the script says, mischief included. */
export async function scripted({ host, port }: Place, script: Script): Promise<MailServer> {
  const said: string[] = [];
  const sockets = new Set<Socket>();
  let [connections, most] = [0, 0];
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const tell = (line: string | null) => {
      const text = script(line, socket);
      if (text !== null && socket.writable) socket.write(text);
    };
    let rest = '';
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1');
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        said.push(line);
        tell(line);
      }
    });
    tell(null);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    said,
    connections: () => connections,
    mostAtOnce: () => most,
    encrypted: () => 0,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** The polite rest of a scripted server: everything is fine, but for what `special` says otherwise. */
export function mostly(special: (line: string | null, socket: Socket) => string | null | undefined): Script {
  return (line, socket) => {
    const own = special(line, socket);
    if (own !== undefined) return own;
    if (line === null) return '220 mx.test ready\r\n';
    if (line === 'QUIT') {
      socket.end('221 2.0.0 bye\r\n');
      return null;
    }
    if (line.includes('TO:<nobody_')) return '550 5.1.1 no such user\r\n';
    return '250 2.0.0 ok\r\n';
  };
}
