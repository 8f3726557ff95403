import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A request that the upstream received, and whether its connection was cut. */
export type Asked = { body: Record<string, unknown>; text: string; isCut: boolean };

/** An upstream whose streams are written piece by piece, when the test says so. */
export type StreamingUpstream = {
  url: string;
  asked: Asked[];
  /** Answers the next request. */
  next(answer: (response: ServerResponse) => Promise<void> | void): void;
  close(): Promise<void>;
};

export async function open(): Promise<StreamingUpstream> {
  const asked: Asked[] = [];
  const answers: ((response: ServerResponse) => Promise<void> | void)[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const entry: Asked = { body: text === '' ? {} : JSON.parse(text), text, isCut: false };
    asked.push(entry);
    response.once('close', () => {
      entry.isCut = !response.writableFinished;
    });
    await answers.shift()?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    next: (answer) => void answers.push(answer),
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Begins a stream of server-sent events. */
export function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

/** An event of a chat completion. */
export function chunk(word: string): string {
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ delta: { content: word } }], usage: null })}\n\n`;
}

/** The event of a chat completion that carries the usage. */
export function usage(total: number): string {
  const tokens = { prompt_tokens: 3, completion_tokens: total - 3, total_tokens: total };
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [], usage: tokens })}\n\n`;
}

export const done = 'data: [DONE]\n\n';

/** The events of a message as `messages` APIs send them. */
export function message(outputTokens: number): string {
  const named = (event: string, data: object) =>
    `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`;
  return [
    named('message_start', { message: { id: 'msg_1', usage: { input_tokens: 9, output_tokens: 1 } } }),
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
    ': keep-alive\n\n',
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: outputTokens } }),
    named('message_stop', {}),
  ].join('');
}
