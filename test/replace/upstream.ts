import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type Upstream = { url: string; close(): Promise<void> };

/** Units of a stream. */
export const streamUnits = 29;

const eventEveryMs = 100;
const event = `data: {"choices":[{"delta":{"content":"${'word '.repeat(4)}"}}],"usage":null}\n\n`;
const ending = `data: {"choices":[],"usage":{"total_tokens":${streamUnits}}}\n\ndata: [DONE]\n\n`;

/** Opens an API that responds to `{"id","count","delayMs"}` with the same id and count, and to `{"stream","events"}` with as many events. */
export async function open(): Promise<Upstream> {
  const server = createServer((incoming, response) => {
    // The gateway closes its connection when its caller has left.
    serve(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  // The gateway's probe of its upstream.
  if (incoming.method !== 'POST') return void response.writeHead(404).end();
  let text = '';
  for await (const chunk of incoming) text += chunk;
  const asked = JSON.parse(text) as { id: string; count: number; delayMs: number; events?: number };
  if (asked.events === undefined) {
    if (asked.delayMs > 0) await sleep(asked.delayMs);
    const body = JSON.stringify({ id: asked.id, count: asked.count });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let sent = 0; sent < asked.events && !response.destroyed; sent++) {
    response.write(event);
    await sleep(eventEveryMs);
  }
  response.end(ending);
}

/** Returns true for the whole text of a stream of `events` events. */
export function isWhole(text: string, events: number): boolean {
  return text.endsWith('data: [DONE]\n\n') && text.split(event).length - 1 === events;
}
