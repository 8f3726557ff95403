import { randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Clock } from '@sluice/kernel/clock';
import { sha256Hex } from '@sluice/kernel/digest';
import * as SealedSession from '@sluice/kernel/sealed-session';
import { z } from 'zod';
import { type Operator, type Operators, type Passkey, passkeyName } from './operator.ts';

/** A challenge can be answered for this long. */
const challengeSeconds = 300;
const challengeForm = /^([\w-]{32})\.(\d{10}\.[0-9a-f]{64})$/;
const credentialCharsMax = 20_000;

/** The relying party: the shop's console. `secret` signs challenges in all processes. */
export type PasskeyContext = {
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly secret: string;
  readonly operators: Operators;
};

/** Passkeys are bound to a name: browsers refuse them on bare addresses. */
export function arePossible(publicUrl: string): boolean {
  const { hostname, protocol } = new URL(publicUrl);
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  return !isAddress && (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'));
}

/**
 * Issues a challenge for `purpose` in the browser with the cookie `browser`. It needs no storage until it is answered: every process can
 * verify it, for a limited time, and each is accepted once.
 */
function challenge({ secret, clock }: PasskeyContext, purpose: string, browser: string): string {
  const nonce = randomBytes(24).toString('base64url');
  return `${nonce}.${SealedSession.issue(secret, sealed(purpose, browser, nonce), challengeSeconds, clock())}`;
}

function sealed(purpose: string, browser: string, nonce: string): string {
  return `passkey ${purpose} ${sha256Hex(browser)} ${nonce}`;
}

/** Returns true for a challenge that was issued for this purpose and browser and has not expired. `encoded`: as in the client data. */
function isOwn(shop: PasskeyContext, purpose: string, browser: string, encoded: string): boolean {
  const text = Buffer.from(encoded, 'base64url').toString();
  const [, nonce, proof] = challengeForm.exec(text) ?? [];
  if (nonce === undefined || proof === undefined || browser === '') return false;
  return SealedSession.isGood(proof, shop.secret, sealed(purpose, browser, nonce), shop.clock());
}

/** Loaded when a passkey is first used, because its 300 modules would slow down every start. */
const webAuthn = () => import('@simplewebauthn/server');

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text));
}

/** The options of `navigator.credentials.get`. No credential is named: the browser offers the passkeys that it has for the shop. */
export async function signInOptions(
  shop: PasskeyContext,
  browser: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webAuthn();
  return generateAuthenticationOptions({
    rpID: new URL(shop.publicUrl).hostname,
    challenge: bytesOf(challenge(shop, 'sign-in', browser)),
    userVerification: 'required',
    timeout: challengeSeconds * 1_000,
  });
}

/** The options of `navigator.credentials.create` for a person. `purpose` binds the answer to the invitation or the session. */
export async function registrationOptions(
  shop: PasskeyContext,
  { id, email, name }: Operator,
  { shopName, purpose, browser }: { shopName: string; purpose: string; browser: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await shop.operators.passkeys(id);
  const { generateRegistrationOptions } = await webAuthn();
  return generateRegistrationOptions({
    rpID: new URL(shop.publicUrl).hostname,
    rpName: shopName,
    userID: bytesOf(id),
    userName: email,
    userDisplayName: name,
    challenge: bytesOf(challenge(shop, purpose, browser)),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.map((one) => ({ id: one.id })),
    timeout: challengeSeconds * 1_000,
  });
}

const encoded = z.string().regex(/^[\w-]+$/);
const common = {
  id: encoded,
  rawId: encoded,
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}).default({}),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
};
const registrationSchema = z.object({
  ...common,
  response: z.object({
    clientDataJSON: encoded,
    attestationObject: encoded,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});
const signInSchema = z.object({
  ...common,
  response: z.object({
    clientDataJSON: encoded,
    authenticatorData: encoded,
    signature: encoded,
    userHandle: encoded.nullish(),
  }),
});

function parsed<T>(schema: z.ZodType<T>, text: string): T | null {
  if (text.length > credentialCharsMax) return null;
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** The digest under which a challenge is accepted once. */
function challengeOf(clientDataJSON: string): string {
  const { challenge: said } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
    challenge: string;
  };
  return sha256Hex(said);
}

export type SignInResult =
  | { kind: 'signed_in'; passkey: Passkey }
  /** The response is malformed, forged, expired, or was used before. */
  | { kind: 'refused' }
  /** The passkey is not registered here. */
  | { kind: 'unknown' }
  /** The signature counter did not rise. */
  | { kind: 'cloned'; passkey: Passkey };

/** Verifies the response of a browser to `signInOptions`: challenge, origin, relying party, signature, user verification and counter. */
export async function signIn(
  shop: PasskeyContext,
  credential: string,
  browser: string,
): Promise<SignInResult> {
  const response = parsed(signInSchema, credential);
  if (response === null) return { kind: 'refused' };
  const passkey = await shop.operators.findPasskey(response.id);
  if (passkey === null) return { kind: 'unknown' };
  const { userHandle } = response.response;
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== passkey.operator)
    return { kind: 'refused' };
  const { verifyAuthenticationResponse } = await webAuthn();
  const verified = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: (said) => isOwn(shop, 'sign-in', browser, said),
    expectedOrigin: shop.publicUrl,
    expectedRPID: new URL(shop.publicUrl).hostname,
    requireUserVerification: true,
    // The counter is compared below, in the statement that stores it.
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: 0,
    },
  }).catch(() => null);
  if (!verified?.verified) return { kind: 'refused' };
  if (!(await isFirstUse(shop, response.response.clientDataJSON))) return { kind: 'refused' };
  const { newCounter } = verified.authenticationInfo;
  if (!(await shop.operators.usePasskey(passkey.id, newCounter))) return { kind: 'cloned', passkey };
  return { kind: 'signed_in', passkey };
}

function isFirstUse({ operators, clock }: PasskeyContext, clientDataJSON: string): Promise<boolean> {
  return operators.acceptOnce(challengeOf(clientDataJSON), clock() + challengeSeconds * 1_000);
}

/**
 * Verifies the response of a browser to `registrationOptions` and stores the passkey. `invitation`: the digest of the invitation that is used
 * up, or null for a person who is signed in.
 */
export async function register(
  shop: PasskeyContext,
  { id }: Operator,
  said: { credential: string; name: string; purpose: string; browser: string; invitation: string | null },
  who: string,
): Promise<'registered' | 'refused'> {
  const response = parsed(registrationSchema, said.credential);
  if (response === null) return 'refused';
  const { verifyRegistrationResponse } = await webAuthn();
  const verified = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: (encodedChallenge) => isOwn(shop, said.purpose, said.browser, encodedChallenge),
    expectedOrigin: shop.publicUrl,
    expectedRPID: new URL(shop.publicUrl).hostname,
    requireUserVerification: true,
  }).catch(() => null);
  if (!verified?.verified) return 'refused';
  if (!(await isFirstUse(shop, response.response.clientDataJSON))) return 'refused';
  const { credential, credentialBackedUp } = verified.registrationInfo;
  const passkey = {
    id: credential.id,
    operator: id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: response.response.transports ?? [],
    name: passkeyName(said.name),
    isBackedUp: credentialBackedUp,
  };
  return (await shop.operators.addPasskey(passkey, said.invitation, who)) ? 'registered' : 'refused';
}
