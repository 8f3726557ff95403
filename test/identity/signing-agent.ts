import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { SignedRequest } from '../../src/identity/message-signature.ts';

/** An agent that signs requests, written from the text of RFC 9421 without the code under test. */
export type SigningAgent = { privateKey: KeyObject; keyId: string; jwk: Record<string, unknown> };

export function newAgent(): SigningAgent {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  const keyId = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return { privateKey, keyId, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid: keyId, use: 'sig' } };
}

/** The signed parts; tests spoil one of them. */
export type Signing = {
  authority: string;
  agentOrigin: string;
  createdSeconds: number;
  lifeSeconds?: number;
  nonce?: string | null;
  tag?: string;
  algorithm?: string | null;
  label?: string;
  /** The string form of earlier drafts. */
  isString?: boolean;
  omits?: 'authority' | 'agent' | 'created' | 'expires' | 'keyid';
  /** Further components with their values. */
  more?: readonly (readonly [string, string])[];
};

export function signedHeaders(agent: SigningAgent, signing: Signing): Record<string, string> {
  const { createdSeconds, lifeSeconds = 300, label = 'sig1', isString = false, omits, more = [] } = signing;
  const { nonce = randomUUID(), tag = 'web-bot-auth', algorithm = 'ed25519', agentOrigin } = signing;
  const named = isString ? '"signature-agent"' : `"signature-agent";key="${label}"`;
  const covered = [
    ...(omits === 'authority' ? [] : [['"@authority"', signing.authority]]),
    ...(omits === 'agent' ? [] : [[named, `"${agentOrigin}"`]]),
    ...more,
  ];
  const parameters = [
    `(${covered.map(([name]) => name).join(' ')})`,
    ...(omits === 'created' ? [] : [`created=${createdSeconds}`]),
    ...(omits === 'expires' ? [] : [`expires=${createdSeconds + lifeSeconds}`]),
    ...(omits === 'keyid' ? [] : [`keyid="${agent.keyId}"`]),
    ...(algorithm === null ? [] : [`alg="${algorithm}"`]),
    ...(nonce === null ? [] : [`nonce="${nonce}"`]),
    `tag="${tag}"`,
  ].join(';');
  const base = [...covered, ['"@signature-params"', parameters]].map((line) => line.join(': ')).join('\n');
  const bytes = sign(null, Buffer.from(base), agent.privateKey);
  return {
    'signature-agent': isString ? `"${agentOrigin}"` : `${label}="${agentOrigin}"`,
    'signature-input': `${label}=${parameters}`,
    signature: `${label}=:${bytes.toString('base64')}:`,
  };
}

/** A registration with these headers; a header of several lines is a list. */
export function requestOf(
  headers: Readonly<Record<string, string | readonly string[]>>,
  more: Partial<SignedRequest> = {},
): SignedRequest {
  return {
    method: 'POST',
    origin: 'https://shop.example',
    target: '/agent/auth',
    values: (name) => [headers[name] ?? []].flat(),
    ...more,
  };
}
