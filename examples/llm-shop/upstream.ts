import { createServer, type Server } from 'node:http';
import * as Anthropic from './anthropic.ts';
import * as Gemini from './gemini.ts';
import { json, type Request, type Response, readRequest, send } from './http.ts';
import * as Media from './media.ts';
import type { Usage } from './model.ts';
import * as OpenAi from './openai.ts';
import { responses } from './responses.ts';

/** `eventMs`: the pause after each event of a stream. Port 0 takes a free one. */
export type Settings = { key: string; host: string; port: number; usagePort: number; eventMs: number };

const geminiCall = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;
const fileCall = /^\/v1\/files\/([^/]+)(\/content)?$/;

/**
 * Starts a small upstream that speaks the protocols of OpenAI, Anthropic and Gemini without a model. It counts by a fixed rule (docs/llm-shop.md)
 * and lists what it has counted on a second port: GET /usage.
 */
export async function start(settings: Settings) {
  const calls: Usage[] = [];
  const files = new Media.Files();
  let last = 0;
  const api = createServer(async (incoming, outgoing) => {
    try {
      const request = await readRequest(incoming);
      last += 1;
      const response = await respond(settings.key, files, request, last);
      if (response.usage !== null) calls.push(response.usage);
      await send(outgoing, response, settings.eventMs);
    } catch (error) {
      process.stderr.write(`${error}\n`);
      outgoing.destroy();
    }
  });
  const usage = createServer((incoming, outgoing) => {
    const response = incoming.url === '/usage' ? json(200, { calls }) : json(404, {});
    void send(outgoing, response, 0);
  });
  const url = await listen(api, settings.host, settings.port);
  const usageUrl = await listen(usage, settings.host, settings.usagePort);
  return {
    url,
    usageUrl: `${usageUrl}/usage`,
    async close() {
      for (const server of [api, usage]) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

/** Answers in the protocol of the path. Each has its own header for the key, and its own form of errors. */
function respond(
  key: string,
  files: Media.Files,
  request: Request,
  id: number,
): Response | Promise<Response> {
  const { method, path, headers } = request;
  if (path.startsWith('/v1/messages')) {
    // Clients send the key in either header.
    if (headers['x-api-key'] !== key && headers.authorization !== `Bearer ${key}`)
      return Anthropic.failure(401, 'authentication_error', 'invalid x-api-key');
    return method === 'POST' && path === '/v1/messages'
      ? Anthropic.messages(request, id)
      : Anthropic.failure(404, 'not_found_error', 'Not found');
  }
  if (path.startsWith('/v1beta/') || geminiCall.test(path)) {
    if (headers['x-goog-api-key'] !== key)
      return Gemini.failure(401, 'UNAUTHENTICATED', 'API key not valid.');
    const [, model = '', verb] = geminiCall.exec(path) ?? [];
    return method === 'POST' && verb !== undefined
      ? Gemini.generate(request, model, verb === 'streamGenerateContent', id)
      : Gemini.failure(404, 'NOT_FOUND', 'Not found');
  }
  if (headers.authorization !== `Bearer ${key}`)
    return OpenAi.failure(401, 'invalid_api_key', 'Incorrect API key provided.');
  return openAi(files, request, id);
}

function openAi(files: Media.Files, request: Request, id: number): Response | Promise<Response> {
  const { method, path } = request;
  switch (`${method} ${path}`) {
    case 'GET /v1/models':
      return OpenAi.modelList();
    case 'POST /v1/chat/completions':
      return OpenAi.chat(request, id);
    case 'POST /v1/responses':
      return responses(request, id);
    case 'POST /v1/embeddings':
      return OpenAi.embeddings(request);
    case 'POST /v1/images/generations':
      return Media.images(request);
    case 'POST /v1/audio/transcriptions':
      return Media.transcription(request);
    case 'POST /v1/files':
      return files.create(request, id);
    case 'GET /v1/files':
      return files.list();
  }
  const [, fileId, content] = fileCall.exec(path) ?? [];
  if (fileId !== undefined && (method === 'GET' || (method === 'DELETE' && content === undefined)))
    return files.one(method, fileId, content !== undefined);
  return OpenAi.failure(404, null, `Unknown request URL: ${method} ${path}`);
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, host, done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port');
  return `http://${host}:${address.port}`;
}

if (import.meta.main) {
  const {
    HOST = '127.0.0.1',
    PORT = '4030',
    USAGE_PORT = '4031',
    EVENT_MS = '50',
    UPSTREAM_API_KEY,
  } = process.env;
  if (!UPSTREAM_API_KEY) throw new Error('Set UPSTREAM_API_KEY to the key that this upstream accepts.');
  const { url, usageUrl } = await start({
    key: UPSTREAM_API_KEY,
    host: HOST,
    port: Number(PORT),
    usagePort: Number(USAGE_PORT),
    eventMs: Number(EVENT_MS),
  });
  process.stdout.write(`upstream: ${url}\nusage:    ${usageUrl}\n`);
}
