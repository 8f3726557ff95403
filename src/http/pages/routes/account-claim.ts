import * as Claim from '../../../identity/claim.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import * as Claiming from '../../../journeys/claiming.ts';
import * as Team from '../../../journeys/team.ts';
import { deviceOf } from '../../device.ts';
import { address } from '../../request-context.ts';
import * as Awaited from '../awaited-code.ts';
import * as BrowserSession from '../browser-session.ts';
import { whenAgain } from '../when-again.ts';
import { bad, badField, faulty, good, type Result, type Submission } from './account-form.ts';

/** Sends a code to an address, which the owner of the mailbox enters to claim the account. */
export async function sendCode(
  shop: Claiming.ClaimContext & Pick<RegistrationContext, 'claiming'>,
  { c, form, clientAddressHeader }: Submission,
): Promise<Result> {
  const parsed = Claim.parseOpening(shop.texts, {
    claim_token: BrowserSession.assertionOf(shop, c) ?? '',
    email: form.get('email'),
  });
  if (shop.claiming === null) return bad(shop.texts.text('result.no_mail'));
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  const opened = await Claiming.startClaim(shop, shop.claiming, parsed, address(c, clientAddressHeader));
  if (opened.kind === 'limited') {
    const limited = shop.texts.text('result.too_many_codes', whenAgain(shop, opened));
    const email = Awaited.read(shop, c);
    return bad(email === null ? limited : shop.texts.text('result.earlier_code', { limited, email }));
  }
  return opened.kind === 'opened'
    ? good(shop.texts.text('result.code_sent'))
    : bad(shop.texts.text(claimRefusals[opened.kind]));
}

/** Claims the account with the code. */
export async function confirmCode(
  shop: Claiming.ClaimContext & Pick<IdentityContext, 'team'> & Pick<RegistrationContext, 'claiming'>,
  { c, visitor, form, clientAddressHeader }: Submission,
): Promise<Result> {
  const parsed = Claim.parseCompletion(shop.texts, {
    claim_token: BrowserSession.assertionOf(shop, c) ?? '',
    otp: form.get('otp'),
  });
  if (shop.claiming === null) return bad(shop.texts.text('result.no_mail'));
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  const done = await Claiming.complete(shop, shop.claiming, parsed, address(c, clientAddressHeader));
  if (done.kind !== 'claimed') return badField(shop.texts.text(claimRefusals[done.kind]), 'otp');
  // From now on, the browser's session belongs to the person.
  const device = deviceOf(c.req.header('user-agent')) || null;
  const { access } = await Team.startSession(shop, done.holder, device);
  Object.assign(visitor, BrowserSession.sessionOf(access));
  return good(shop.texts.text(done.joined ? 'result.merged' : 'result.claimed'));
}

const claimRefusals = {
  bad_token: 'result.no_session',
  claimed: 'result.has_email',
  taken: 'result.has_email',
  wrong: 'result.wrong_code',
  none: 'result.no_code',
  frozen: 'result.account_frozen',
} as const;
