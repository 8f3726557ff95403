import { equal, sha256Hex } from '@sluice/kernel/digest';
import * as KeyCommands from '../keys/key-commands.ts';
import * as KeyStore from '../keys/key-store.ts';
import { fromForm } from '../schema/form.ts';
import * as Read from '../schema/read.ts';
import * as Body from './body.ts';
import type { RequestContext } from './call.ts';
import * as Reply from './reply.ts';

/** The admin API for operators. Its token grants access to all keys and to the metrics. */
export type Admin = {
  /** SHA-256 of the admin token. */
  tokenDigest: string;
  keyStore: KeyStore.KeyStore;
  /** All operations that keys can be restricted to. */
  apis: readonly string[];
  /** Metrics in the Prometheus text format. */
  metrics(nowMs: number): Promise<string>;
};

/** Parsed request: key id from the path, body, query, and time. */
type AdminRequest = { id: string; body: unknown; query: URLSearchParams; nowMs: number };

export type Route = {
  /** Name in the log. */
  name: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  run(
    admin: Admin,
    request: AdminRequest,
  ): Promise<
    KeyStore.Outcome | { kind: 'listed'; keys: KeyStore.KeyEntry[] } | { kind: 'text'; text: string }
  >;
};

export const routes: readonly Route[] = [
  {
    name: 'admin.keys.make',
    method: 'POST',
    path: '/admin/keys',
    run: ({ keyStore, apis }, { body, nowMs }) => KeyStore.make(keyStore, apis, body, nowMs),
  },
  {
    name: 'admin.keys.list',
    method: 'GET',
    path: '/admin/keys',
    async run({ keyStore }, { query, nowMs }) {
      const reading = Read.read(KeyCommands.list, fromForm(KeyCommands.list, query) ?? {});
      if (reading.kind === 'invalid') return reading;
      const { after, limit } = reading.value;
      return { kind: 'listed', keys: await keyStore.list(after, limit, nowMs) };
    },
  },
  {
    name: 'admin.keys.show',
    method: 'GET',
    path: '/admin/keys/:id',
    run: ({ keyStore }, { id, nowMs }) => KeyStore.show(keyStore, id, nowMs),
  },
  {
    name: 'admin.keys.change',
    method: 'PATCH',
    path: '/admin/keys/:id',
    run: ({ keyStore, apis }, { id, body, nowMs }) => KeyStore.change(keyStore, apis, id, body, nowMs),
  },
  {
    name: 'admin.keys.rotate',
    method: 'POST',
    path: '/admin/keys/:id/rotate',
    run: ({ keyStore }, { id, body, nowMs }) => KeyStore.rotate(keyStore, id, body, nowMs),
  },
  {
    name: 'admin.keys.revoke',
    method: 'DELETE',
    path: '/admin/keys/:id',
    run: ({ keyStore }, { id, nowMs }) => KeyStore.revoke(keyStore, id, nowMs),
  },
  {
    name: 'admin.metrics',
    method: 'GET',
    path: '/metrics',
    run: async ({ metrics }, { nowMs }) => ({ kind: 'text', text: await metrics(nowMs) }),
  },
];

/** Returns true for the admin token. Compares in constant time. */
export function opens({ tokenDigest }: Pick<Admin, 'tokenDigest'>, token: string): boolean {
  return equal(sha256Hex(token), tokenDigest);
}

/** Handles a request to `route`. `id` is the key id from the path. */
export async function respond(
  admin: Admin,
  route: Route,
  id: string,
  request: Request,
  context: RequestContext,
): Promise<Reply.Reply> {
  const { nowMs } = context;
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (token === undefined || !opens(admin, token)) return Reply.refusal({ kind: 'not_operator' });
  const body = await Body.read(request, KeyCommands.rotate, { acceptsForms: false, bodyIsOptional: true });
  if (body.kind !== 'parsed') return Reply.refusal(body);
  const { searchParams: query } = new URL(request.url);
  const outcome = await route.run(admin, { id, body: body.value, query, nowMs });
  switch (outcome.kind) {
    case 'text':
      return done(outcome.text);
    case 'listed':
      return done({ keys: outcome.keys.map((key) => KeyStore.shown(key, nowMs)) });
    case 'done': {
      context.keyId = outcome.key.id;
      const key = KeyStore.shown(outcome.key, nowMs);
      return done(outcome.secret === null ? { key } : { key, secret: outcome.secret });
    }
    case 'missing':
      return Reply.refusal({ kind: 'not_found' });
    case 'revoked':
    case 'invalid':
      return Reply.refusal(outcome);
  }
}

function done(body: object | string): Reply.Reply {
  return { status: 200, body, usage: null };
}
