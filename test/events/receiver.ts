import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A message as the stock verifier of Standard Webhooks accepted it. */
export type Received = { id: string; type: string; account: string; body: Record<string, unknown> };

/** The receiver's answer to a message: it takes it, refuses it with a status, or cuts or keeps the connection without a response. */
export type Reply = number | 'cut' | 'cut after' | 'hang';

/** A seller's program on localhost. It counts a message as received when it answers with 2xx, and when its response is lost. */
export type Receiver = {
  url: string;
  received: Received[];
  /** The headers of all requests, and the faults that the verifier found. */
  signatures: string[];
  faults: string[];
  close(): Promise<void>;
};

/** @param reply decides on each message; `secrets`: the current one is first, and either of them must verify */
export async function openReceiver(
  secrets: () => readonly string[],
  reply: (message: Received) => Reply | Promise<Reply> = () => 204,
): Promise<Receiver> {
  const received: Received[] = [];
  const signatures: string[] = [];
  const faults: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    signatures.push(headers['webhook-signature'] ?? '');
    for (const secret of secrets()) {
      try {
        new Webhook(secret).verify(text, headers);
      } catch (fault) {
        faults.push(String(fault));
      }
    }
    const body = JSON.parse(text) as Record<string, unknown>;
    const message = {
      id: String(headers['webhook-id']),
      type: String(body.type),
      account: String(body.account),
      body,
    };
    const what = await reply(message);
    if (what === 'cut after' || (typeof what === 'number' && what < 300)) received.push(message);
    if (what === 'cut' || what === 'cut after') request.socket.destroy();
    else if (typeof what === 'number') response.writeHead(what).end('x'.repeat(100));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received,
    signatures,
    faults,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
