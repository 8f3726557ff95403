import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type MailServer = {
  /** Lines received from clients, over all connections. */
  said: string[];
  connections(): number;
  /** Maximum number of concurrent connections. */
  mostAtOnce(): number;
  encrypted(): number;
  close(): Promise<void>;
};

export type Place = { host: string; port: number };
/** Reaction to `RCPT TO`: accept, reject with a code and text, or close the connection. */
export type Recipients = (email: string) => { code: number; text: string } | null | 'cut';

/** A real mail server (npm smtp-server) with STARTTLS. `recipients` decides which recipients it accepts. */
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
  // Clients that disconnect early are expected.
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

/** Closes all connections abruptly. The types of the package do not include its connections. */
function cut(server: SMTPServer): void {
  const { connections } = server as unknown as { connections: Set<{ _socket: Socket }> };
  for (const { _socket } of connections) _socket.destroy();
}

/** Reaction of a scripted server: a reply, or an action on the socket. `line` is null for the greeting. */
export type Script = (line: string | null, socket: Socket) => string | null;

/** A server that follows a script, including protocol violations. */
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

/** A script that accepts every command, except those with a reply in `special`. */
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
