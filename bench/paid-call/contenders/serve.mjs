// One bare proxy in a process of its own: node serve.mjs <name> <port> <upstream URL>. It says that it is ready by IPC.
import { Agent, createServer } from 'node:http';
import replyFrom from '@fastify/reply-from';
import { serve } from '@hono/node-server';
import Fastify from 'fastify';
import { Hono } from 'hono';
import httpProxy from 'http-proxy';
import { createProxyServer } from 'httpxy';

const [name, port, upstream] = process.argv.slice(2);
const host = '127.0.0.1';
const connectionsMax = 64;
const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });

const proxies = {
  /** What a Hono route does in ten lines: `fetch`, and its answer handed on. */
  async hono() {
    const app = new Hono();
    app.all('*', async ({ req }) => {
      const headers = new Headers(req.raw.headers);
      headers.delete('host');
      const { body, method } = req.raw;
      return fetch(upstream + req.path, { method, headers, body, duplex: 'half' });
    });
    await new Promise((ready) => serve({ fetch: app.fetch, port: Number(port), hostname: host }, ready));
  },
  async 'reply-from'() {
    const app = Fastify();
    await app.register(replyFrom, { base: upstream, undici: { connections: connectionsMax, pipelining: 1 } });
    // The body crosses as the stream that it is.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    app.all('/*', (request, reply) => reply.from(request.url));
    await app.listen({ host, port: Number(port) });
  },
  async httpxy() {
    const proxy = createProxyServer({ target: upstream, agent });
    await listen((incoming, outgoing) => void proxy.web(incoming, outgoing).catch(() => outgoing.destroy()));
  },
  async 'http-proxy'() {
    const proxy = httpProxy.createProxyServer({ target: upstream, agent });
    proxy.on('error', (_fault, _incoming, outgoing) => outgoing.destroy());
    await listen((incoming, outgoing) => proxy.web(incoming, outgoing));
  },
};

function listen(listener) {
  return new Promise((ready) =>
    createServer({ keepAliveTimeout: 65_000 }, listener).listen(Number(port), host, ready),
  );
}

await proxies[name]();
process.send({ ready: true });
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
