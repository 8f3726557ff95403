import { Hono } from 'hono';
import type { CallerContext } from '../../journeys/identification.ts';
import * as Usage from '../../journeys/usage.ts';
import type { LedgerContext } from '../../ledger/ledger-context.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json } from '../reply.ts';
import { type Env, owned, requestId, unprocessable } from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };

/** The usage of an account: sums, and single calls. */
export function usageRoutes(shop: CallerContext & Pick<LedgerContext, 'usage'> & TextsContext): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/account/usage', (c) =>
    owned(shop, c, async (account) => {
      const span = Usage.readSpan(c.req.query('from'), c.req.query('to'), shop.clock());
      const group = Usage.readGroup(c.req.query('group'));
      if (span.kind === 'faults') return unprocessable(c, span.faults);
      const selection = Usage.readSelection(c.req.query());
      if (group.kind === 'faults') return unprocessable(c, group.faults);
      if (selection.kind === 'faults') return unprocessable(c, selection.faults);
      const sums = await Usage.sums(shop, account, span.value, group.value, selection.value);
      return json(200, sums, noStore);
    }),
  );

  app.get('/account/calls', (c) =>
    owned(shop, c, async (account) => {
      const span = Usage.readSpan(c.req.query('from'), c.req.query('to'), shop.clock());
      const cursor = Usage.readCursor(c.req.query('cursor'));
      if (span.kind === 'faults') return unprocessable(c, span.faults);
      const selection = Usage.readSelection(c.req.query());
      if (cursor.kind === 'faults') return unprocessable(c, cursor.faults);
      if (selection.kind === 'faults') return unprocessable(c, selection.faults);
      const calls = await Usage.calls(shop, account, span.value, cursor.value, selection.value);
      return json(200, calls, noStore);
    }),
  );

  app.get('/account/calls/:id', (c) =>
    owned(shop, c, async (account) => {
      const call = await Usage.call(shop, account, c.req.param('id'));
      if (call !== null) return json(200, call, noStore);
      return error(404, 'not_found', shop.texts.text('api.not_found.call'), requestId(c));
    }),
  );

  return app;
}
