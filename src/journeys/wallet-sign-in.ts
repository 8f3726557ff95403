import { path } from '@sluice/kernel/endpoints';
import { id } from '@sluice/kernel/id';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import { type TrialPlan, trialOf } from '../catalog/plan.ts';
import * as AddressBlock from '../identity/address-block.ts';
import type { IdentityContext, RegistrationContext } from '../identity/identity-context.ts';
import type { Issued } from '../identity/jwt.ts';
import { proofDigest, type TrialState } from '../identity/trial-proof.ts';
import * as WalletMessage from '../identity/wallet-message.ts';
import type { SignedWalletMessage } from '../identity/wallet-request.ts';
import type { CheckoutContext } from '../payment/payment-context.ts';
import * as Wallet from '../payment/wallet.ts';
import * as RateLimit from '../proxy/rate-limit.ts';
import type { QuoteContext } from './quote.ts';
import { admit, newAccount, session, trialOffer } from './registration.ts';

const dayMs = 86_400_000;
const noTrial = { plan: '', units: 0, asset: 'unit', oncePer: [], address: null } as const;
/** Number of signatures of one address block that are verified in a second. */
const verificationsPerSecond = 5;
/** Retry delay for a new wallet on a day on which registrations need a proof of work. */
const retryLaterSeconds = 3_600;

/** The dependencies of signing in with a wallet. */
export type WalletSignInContext = QuoteContext &
  Pick<CatalogContext, 'catalog' | 'publicUrl'> &
  Pick<IdentityContext, 'tokenVerifier' | 'team'> &
  Pick<RegistrationContext, 'admissions' | 'workSecret'> &
  Pick<CheckoutContext, 'challengeSecrets'>;

export type SignedIn = {
  kind: 'signed_in';
  wallet: string;
  account: string;
  /** Every account that the wallet can access, the oldest first. */
  accounts: readonly string[];
  access: Issued;
  assertion: Issued;
  isNew: boolean;
  /** The trial of an account that was created by this sign-in; null otherwise. */
  trial: TrialPlan | null;
  trialState: TrialState;
};

export type WalletSignInResult =
  | SignedIn
  | { kind: 'refused'; reason: WalletMessage.WalletMessageRefusal }
  /** The wallet has no access to the requested account. */
  | { kind: 'foreign' }
  | { kind: 'rate_limited'; retryAfterSeconds: number }
  | { kind: 'registration_limited'; retryAfterSeconds: number };

/** Returns the terms of wallet sign-in at this shop. */
export function signInTerms(shop: WalletSignInContext): WalletMessage.SignInSite {
  return {
    publicUrl: shop.publicUrl,
    uri: shop.publicUrl + path.register,
    statement: `Sign in to ${printable(shop.catalog.storefront.name)}. This costs nothing and moves no money.`,
    chainIds: shop.proofs.terms.requirements.map(({ network }) => network.chainId),
    secrets: shop.challengeSecrets,
  };
}

/** Returns a message for a wallet to sign. Nothing is stored until it is returned. */
export function challenge(shop: WalletSignInContext): WalletMessage.Challenge {
  return WalletMessage.challenge(signInTerms(shop), shop.clock());
}

/**
 * Signs a wallet in with a message that names this shop, once, within five minutes of its challenge. A new wallet counts as a registration
 * with the same limits, because wallets are free and each gets a trial. A message that was refused can be sent again.
 */
export async function signIn(
  shop: WalletSignInContext,
  signed: SignedWalletMessage,
  address: string,
): Promise<WalletSignInResult> {
  const { message, text, signature, account } = signed;
  const at = signInTerms(shop);
  const nowMs = shop.clock();
  const refusal = WalletMessage.check(message, at, nowMs);
  if (refusal !== null) return { kind: 'refused', reason: refusal };
  const read = Wallet.readSignature(signature);
  if (read.kind !== 'signature') return { kind: 'refused', reason: 'wallet_signature' };
  if (!AddressBlock.isLoopback(address)) {
    const block = AddressBlock.blockOf(address);
    const taken = RateLimit.take(shop.verifications, block, verificationsPerSecond, nowMs);
    if (!taken.allowed) return { kind: 'rate_limited', retryAfterSeconds: taken.retryAfterSeconds };
  }
  const wallet = message.address.toLowerCase();
  if (Wallet.recover(read, WalletMessage.digest(text)) !== wallet)
    return { kind: 'refused', reason: 'wallet_signer' };
  if (account === null && !(await shop.wallets.isKnown(wallet))) {
    const admission = await admit(shop, address, null);
    if (admission.kind !== 'allowed') {
      // This request has no field for a proof of work. The caller can register with one instead.
      const isRefused = admission.kind === 'refused';
      const retryAfterSeconds = isRefused ? admission.retryAfterSeconds : retryLaterSeconds;
      return { kind: 'registration_limited', retryAfterSeconds };
    }
  }
  const proof = {
    wallet,
    claimKey: `wallet ${message.nonce}`,
    expiresMs: WalletMessage.nonceExpiresMs(message.nonce, at) ?? nowMs + dayMs,
  };
  const newcomer = {
    account: id('acc'),
    trial: trialOffer(shop, address) ?? noTrial,
    walletDigest: proofDigest(shop.workSecret, 'wallet', wallet),
  };
  const found = await shop.wallets.signIn(proof, account, newcomer);
  if (found.kind === 'used') return { kind: 'refused', reason: 'wallet_used' };
  if (found.kind === 'foreign') return found;
  const holder = await shop.team.holder({ account: found.account, member: null, epoch: null });
  const opened = await session(shop, holder ?? newAccount(found.account));
  const trial = found.trial === 'given' ? trialOf(shop.catalog.plans) : null;
  return { ...found, wallet, ...opened, trial, trialState: found.trial };
}

/** A name on one line of ASCII, as the standard asks of a statement. */
function printable(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^ -~]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
