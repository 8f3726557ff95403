import { Hono } from 'hono';
import type { Reload, ReloadResult } from '../../journeys/reload.ts';
import type { ReloadPreview } from '../../journeys/reload-preview.ts';
import * as CreditGrant from '../../payment/credit-grant.ts';
import type * as PurchaseInput from '../../payment/purchase-input.ts';
import { error, json, type Reply } from '../reply.ts';
import { type Call, type Env, readJson, requestId, send, unprocessable } from '../request-context.ts';
import type { AdminGuard } from './admin-guard.ts';

const noStore = { 'cache-control': 'no-store' };

/** Previews a changed catalogue and changed settings, and applies them without a restart. */
export function reloadRoutes(reload: Reload, guard: AdminGuard): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/admin/catalogue', async (c) =>
    send(c, json(200, { success: true, ...shown(await reload.preview()) }, noStore)),
  );

  app.post('/admin/reload', async (c) => {
    const body = await readJson(c);
    if (!('value' in body)) return send(c, body);
    const faults: PurchaseInput.FieldFault[] = [];
    const { digest = null } = CreditGrant.membersOf(body.value, ['digest'], faults);
    if (digest !== null && (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)))
      faults.push({ field: 'digest', message: 'Must be the digest of a preview: 64 hexadecimal digits' });
    if (faults.length > 0) return send(c, unprocessable(c, faults));
    const taken = await reload.take(guard.who(c), typeof digest === 'string' ? digest : null);
    return send(c, reply(c, taken));
  });
  return app;
}

function reply(c: Call, taken: ReloadResult): Reply {
  const id = requestId(c);
  const refused = (status: number, code: string, message: string, members: Record<string, unknown>) =>
    error(status, code, `${message} Nothing has changed.`, id, members);
  switch (taken.kind) {
    case 'taken':
      return json(200, { success: true, changed: true, ...shown(taken.change) }, noStore);
    case 'unchanged':
      return json(200, { success: true, changed: false, digest: taken.digest }, noStore);
    case 'faulty': {
      const errors = taken.faults.map((message) => ({ field: 'body', message }));
      return refused(422, 'reload_faulty', 'The files have errors. Fix them first.', { errors });
    }
    case 'refused':
      return refused(
        409,
        'reload_refused',
        'These changes cannot be applied. See `refusals`.',
        shown(taken.change),
      );
    case 'another':
      return refused(409, 'catalog_changed', 'The files have changed since the preview. Review them again.', {
        digest: taken.digest,
      });
  }
}

function shown(preview: ReloadPreview): Record<string, unknown> {
  if (preview.kind === 'faulty') return { faults: preview.faults };
  const { digest, running, settings, refusals, consequences } = preview;
  const { severity, changes, warnings } = consequences;
  return { running, digest, severity, changes, settings, refusals, warnings };
}
