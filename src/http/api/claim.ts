import { path } from '@sluice/kernel/endpoints';
import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Claim from '../../identity/claim.ts';
import type { RegistrationContext } from '../../identity/identity-context.ts';
import * as Claiming from '../../journeys/claiming.ts';
import type { Texts } from '../../text/texts.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import * as Refusal from '../common-refusals.ts';
import { error, json, type Reply, tooManyRequests } from '../reply.ts';
import {
  address,
  type Call,
  type Env,
  readJson,
  requestId,
  send,
  unprocessable,
} from '../request-context.ts';
import { trialMember } from './trial-member.ts';

const noStore = { 'cache-control': 'no-store' };

/** Claims an account with an email address, confirmed by an emailed code. */
export function claimRoutes(
  shop: Claiming.ClaimContext & Pick<RegistrationContext, 'claiming'>,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();

  app.post(path.claim, async (c) => {
    const { claiming } = shop;
    if (claiming === null) return send(c, noMail(c));
    const body = await readJson(c);
    if (!('value' in body)) return send(c, body);
    const asked = Claim.parseOpening(shop.texts, body.value);
    if (asked.kind === 'fault') return send(c, unprocessable(c, asked.faults));
    const opened = await Claiming.startClaim(shop, claiming, asked, address(c, clientAddressHeader));
    return send(c, openedReply(shop.texts, opened, requestId(c)));
  });

  app.post(path.claimComplete, async (c) => {
    const { claiming } = shop;
    if (claiming === null) return send(c, noMail(c));
    const body = await readJson(c);
    if (!('value' in body)) return send(c, body);
    const asked = Claim.parseCompletion(shop.texts, body.value);
    if (asked.kind === 'fault') return send(c, unprocessable(c, asked.faults));
    const completed = await Claiming.complete(shop, claiming, asked, address(c, clientAddressHeader));
    if (completed.kind === 'claimed') c.get('entry').account = completed.account;
    return send(c, completedReply(shop, completed, requestId(c)));
  });
  return app;
}

function openedReply(texts: Texts, opened: Claiming.ClaimStart, id: string): Reply {
  switch (opened.kind) {
    case 'opened':
      return json(
        200,
        {
          success: true,
          registration_id: opened.sid,
          status: 'initiated',
          expires_at: new Date(opened.expiresMs).toISOString(),
          message: texts.text('api.claim_sent'),
          complete: { method: 'POST', path: path.claimComplete, body: ['claim_token', 'otp'] },
        },
        noStore,
      );
    case 'bad_token':
      return badToken(texts, id);
    case 'claimed':
      return claimed(texts, id);
    case 'limited':
      return tooManyRequests('claim_limited', texts.text('api.claim_limited'), opened, id);
  }
}

function completedReply(
  shop: Pick<CatalogContext, 'catalog'> & TextsContext,
  completed: Claiming.ClaimCompletion,
  id: string,
): Reply {
  const { texts } = shop;
  switch (completed.kind) {
    case 'claimed': {
      const { sid, account, joined, trial } = completed;
      const done = { success: true, registration_id: sid, status: 'claimed', account, joined };
      return json(200, { ...done, ...trialMember(shop, trial) }, noStore);
    }
    case 'bad_token':
      return badToken(texts, id);
    case 'wrong':
      return error(403, 'otp_invalid', texts.text('api.otp_invalid'), id, {
        tries_left: completed.triesLeft,
      });
    case 'none':
      return error(410, 'otp_expired', texts.text('api.otp_expired'), id);
    case 'taken':
      return claimed(texts, id);
    case 'frozen':
      return Refusal.frozen(texts, id);
  }
}

function badToken(texts: Texts, id: string): Reply {
  return error(401, 'claim_token_invalid', texts.text('api.claim_token_invalid'), id);
}

function claimed(texts: Texts, id: string): Reply {
  return error(409, 'previously_claimed', texts.text('api.previously_claimed'), id);
}

function noMail(c: Call): Reply {
  return error(501, 'claim_unavailable', c.get('texts').text('api.claim_unavailable'), requestId(c));
}
