import { equal } from '../../kernel/digest.ts';
import * as Order from '../keys/order.ts';
import * as Register from '../keys/register.ts';
import { fromForm } from '../schema/form.ts';
import * as Read from '../schema/read.ts';
import * as Body from './body.ts';
import type { Visit } from './call.ts';
import * as Reply from './reply.ts';

/** For those who run the interface: whoever has the token may do everything to all keys, and see what is measured. */
export type Admin = {
  token: string;
  register: Register.Register;
  /** The operations that keys can be limited to. */
  apis: readonly string[];
  /** What is measured, in the text format of Prometheus. */
  metrics(nowMs: number): Promise<string>;
};

/** A request to a route: the key that its path names, what its body says, its query, and when. */
type Asked = { id: string; body: unknown; query: URLSearchParams; nowMs: number };

export type Route = {
  /** What the log calls it. */
  name: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  run(
    admin: Admin,
    asked: Asked,
  ): Promise<Register.Outcome | { kind: 'listed'; keys: Register.Entry[] } | { kind: 'text'; text: string }>;
};

export const routes: readonly Route[] = [
  {
    name: 'admin.keys.make',
    method: 'POST',
    path: '/admin/keys',
    run: ({ register, apis }, { body, nowMs }) => Register.make(register, apis, body, nowMs),
  },
  {
    name: 'admin.keys.list',
    method: 'GET',
    path: '/admin/keys',
    async run({ register }, { query, nowMs }) {
      const reading = Read.read(Order.list, fromForm(Order.list, query) ?? {});
      if (reading.kind === 'invalid') return reading;
      const { after, limit } = reading.value;
      return { kind: 'listed', keys: await register.list(after, limit, nowMs) };
    },
  },
  {
    name: 'admin.keys.show',
    method: 'GET',
    path: '/admin/keys/:id',
    run: ({ register }, { id, nowMs }) => Register.show(register, id, nowMs),
  },
  {
    name: 'admin.keys.change',
    method: 'PATCH',
    path: '/admin/keys/:id',
    run: ({ register, apis }, { id, body, nowMs }) => Register.change(register, apis, id, body, nowMs),
  },
  {
    name: 'admin.keys.rotate',
    method: 'POST',
    path: '/admin/keys/:id/rotate',
    run: ({ register }, { id, body, nowMs }) => Register.rotate(register, id, body, nowMs),
  },
  {
    name: 'admin.keys.revoke',
    method: 'DELETE',
    path: '/admin/keys/:id',
    run: ({ register }, { id, nowMs }) => Register.revoke(register, id, nowMs),
  },
  {
    name: 'admin.metrics',
    method: 'GET',
    path: '/metrics',
    run: async ({ metrics }, { nowMs }) => ({ kind: 'text', text: await metrics(nowMs) }),
  },
];

/** Answers a request to `route`, in whose path `id` stands. */
export async function answer(
  admin: Admin,
  route: Route,
  id: string,
  request: Request,
  visit: Visit,
): Promise<Reply.Reply> {
  const { nowMs } = visit;
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (token === undefined || !equal(token, admin.token)) return Reply.refusal({ kind: 'not_operator' });
  const body = await Body.read(request, Order.rotate, { acceptsForms: false, bodyIsOptional: true });
  if (body.kind !== 'parsed') return Reply.refusal(body);
  const { searchParams: query } = new URL(request.url);
  const outcome = await route.run(admin, { id, body: body.value, query, nowMs });
  switch (outcome.kind) {
    case 'text':
      return done(outcome.text);
    case 'listed':
      return done({ keys: outcome.keys.map((key) => Register.shown(key, nowMs)) });
    case 'done': {
      visit.keyId = outcome.key.id;
      const key = Register.shown(outcome.key, nowMs);
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
