import { Hono } from 'hono';
import * as Claim from '../../identity/claim.ts';
import { path } from '../../identity/endpoint.ts';
import * as Claiming from '../../journeys/claiming.ts';
import type { Shop } from '../../journeys/shop.ts';
import { address, type Call, type Env, readJson, requestId, send, unprocessable } from '../edge.ts';
import * as Refusal from '../refusal.ts';
import { error, json, type Reply } from '../reply.ts';

const noStore = { 'cache-control': 'no-store' };
const mailRetrySeconds = '30';

/** A person takes an agent's account over by a code that comes by email. */
export function routes(shop: Shop, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();

  app.post(path.claim, async (c) => {
    const { claiming } = shop;
    if (claiming === null) return send(c, noMail(c));
    const body = await readJson(c);
    if (!('value' in body)) return send(c, body);
    const asked = Claim.parseOpening(body.value);
    if (asked.kind === 'fault') return send(c, unprocessable(c, asked.faults));
    const opened = await Claiming.open(shop, claiming, asked, address(c, clientAddressHeader));
    return send(c, openedReply(opened, requestId(c)));
  });

  app.post(path.claimComplete, async (c) => {
    const { claiming } = shop;
    if (claiming === null) return send(c, noMail(c));
    const body = await readJson(c);
    if (!('value' in body)) return send(c, body);
    const asked = Claim.parseCompletion(body.value);
    if (asked.kind === 'fault') return send(c, unprocessable(c, asked.faults));
    const completed = await Claiming.complete(shop, claiming, asked);
    if (completed.kind === 'claimed') c.get('entry').account = completed.account;
    return send(c, completedReply(completed, requestId(c)));
  });
  return app;
}

function openedReply(opened: Claiming.Opened, id: string): Reply {
  switch (opened.kind) {
    case 'opened':
      return json(
        200,
        {
          success: true,
          registration_id: opened.sid,
          status: 'initiated',
          expires_at: new Date(opened.expiresMs).toISOString(),
          message: 'A code is on its way. Ask its reader for it, and send it to `complete`.',
          complete: { method: 'POST', path: path.claimComplete, body: ['claim_token', 'otp'] },
        },
        noStore,
      );
    case 'bad_token':
      return badToken(id);
    case 'claimed':
      return claimed(id);
    case 'limited':
      return error(
        429,
        'claim_limited',
        'Enough codes were sent for this account, to this address or from yours.',
        id,
        {},
        { 'retry-after': String(opened.retryAfterSeconds) },
      );
    case 'away':
      return error(
        503,
        'mail_unavailable',
        'The mail could not be sent; nothing has changed. Try again.',
        id,
        {},
        { 'retry-after': mailRetrySeconds },
      );
  }
}

function completedReply(completed: Claiming.Completed, id: string): Reply {
  switch (completed.kind) {
    case 'claimed': {
      const { sid, account, joined } = completed;
      return json(200, { success: true, registration_id: sid, status: 'claimed', account, joined }, noStore);
    }
    case 'bad_token':
      return badToken(id);
    case 'wrong':
      return error(403, 'otp_invalid', 'This is not the code of the last mail.', id, {
        tries_left: completed.triesLeft,
      });
    case 'none':
      return error(
        410,
        'otp_expired',
        'No code is waiting: it is too old, or was tried too often. Ask for another.',
        id,
      );
    case 'taken':
      return claimed(id);
    case 'frozen':
      return Refusal.frozen(id);
  }
}

function badToken(id: string): Reply {
  return error(
    401,
    'claim_token_invalid',
    'Send the `claim_token` of the registration, or the `identity_assertion` of the account.',
    id,
  );
}

function claimed(id: string): Reply {
  return error(409, 'previously_claimed', 'A person has taken this account over already.', id);
}

function noMail(c: Call): Reply {
  return error(
    501,
    'claim_unavailable',
    'This shop sends no mail, so accounts cannot be claimed here.',
    requestId(c),
  );
}
