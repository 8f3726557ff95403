import type { CatalogContext } from '../catalog/catalog-context.ts';
import type * as Bearer from '../identity/bearer.ts';
import * as Recipe from '../identity/registration-recipe.ts';
import type { Role } from '../identity/team/role.ts';
import type { Texts } from '../text/texts.ts';
import type { TextsContext } from '../text/texts-context.ts';
import { error, type Reply } from './reply.ts';

const retrySoonSeconds = '1';
const retryLaterSeconds = '5';

/** The 401, with the request that registers the caller. */
export function unidentified(
  shop: Pick<CatalogContext, 'publicUrl'> & TextsContext,
  refusal: Bearer.BearerRefusal,
  method: string,
  target: string,
  requestId: string,
): Reply {
  const registration = Recipe.registrationRecipe(shop.publicUrl, method, target);
  const headers = { 'www-authenticate': Recipe.challenge(shop.publicUrl, refusal) };
  return refusal.kind === 'absent'
    ? error(
        401,
        'bearer_required',
        shop.texts.text('api.bearer_required'),
        requestId,
        { registration },
        headers,
      )
    : error(401, 'token_invalid', shop.texts.text('api.token_invalid'), requestId, { registration }, headers);
}

/** The 426 for a plain request to a WebSocket (RFC 9110, 15.5.22). */
export function upgradeRequired(texts: Texts, requestId: string): Reply {
  const headers = { upgrade: 'websocket', connection: 'close, upgrade' };
  return error(426, 'upgrade_required', texts.text('api.upgrade_required'), requestId, {}, headers);
}

/** The 503 while the ledger is unavailable: then nothing can be charged either. */
export function unanswerable(texts: Texts, requestId: string): Reply {
  return error(
    503,
    'ledger_unavailable',
    texts.text('api.ledger_unavailable'),
    requestId,
    {},
    { 'retry-after': retryLaterSeconds },
  );
}

/** The 503 for a call whose charge may or may not have been made. */
export function chargeInDoubt(texts: Texts, requestId: string): Reply {
  return error(
    503,
    'ledger_unavailable',
    texts.text('api.ledger_unavailable.in_doubt'),
    requestId,
    {},
    { 'retry-after': retryLaterSeconds },
  );
}

/** A caller with the role of a person: in their own session, or with a `key` that they created. */
type RoleHolder = { member: { role: Role } | null; key?: object | null };

/** The 403 for a person whose role does not allow what they asked for, or for a key that they created; without a role the token belongs to no person. */
export function roleNotAllowed(texts: Texts, { member, key }: RoleHolder, requestId: string): Reply {
  const role = member?.role ?? null;
  const text = key == null ? 'api.role_not_allowed' : 'api.role_not_allowed.key';
  const message =
    role === null
      ? texts.text('api.person_required')
      : texts.text(text, { role: texts.text(`role.${role}`) });
  return error(403, 'role_not_allowed', message, requestId, { role });
}

/** The 403 for a frozen account, which may only read. */
export function frozen(texts: Texts, requestId: string): Reply {
  return error(403, 'account_frozen', texts.text('api.account_frozen'), requestId);
}

/** The refusal of a body that was not read. The connection closes, because the rest of the body may still arrive. */
export function ofBody(
  texts: Texts,
  kind: 'too_large' | 'too_slow' | 'busy',
  bytesMax: number,
  requestId: string,
): Reply {
  const close = { connection: 'close' };
  switch (kind) {
    case 'too_large':
      return error(
        413,
        'body_too_large',
        texts.text('api.body_too_large', { bytes: String(bytesMax) }),
        requestId,
        {},
        close,
      );
    case 'too_slow':
      return error(408, 'body_too_slow', texts.text('api.body_too_slow'), requestId, {}, close);
    case 'busy':
      return error(
        503,
        'busy',
        texts.text('api.busy.bodies'),
        requestId,
        {},
        { ...close, 'retry-after': retrySoonSeconds },
      );
  }
}
