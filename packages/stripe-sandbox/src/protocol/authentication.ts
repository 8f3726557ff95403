import { type Refusal, refuse } from './refusal.ts';

/**
 * Returns null when `authorization` holds a test key, as Basic user name or as Bearer token; otherwise a 401. The refusal of a live key explains
 * that it was sent to a sandbox. No response ever repeats a key.
 */
export function refuseKey(authorization: string | undefined): Refusal | null {
  const key = authorization === undefined ? null : keyIn(authorization);
  if (key === null) {
    return unauthorized(
      'No API key was given. Send a secret test key (sk_test_...) as Bearer token or as Basic user name.',
    );
  }
  if (/^(sk|rk)_live_/.test(key)) {
    return unauthorized(
      'A live key was sent to the card sandbox, which moves no money and takes test keys only. Was this address meant?',
    );
  }
  if (!/^(sk|rk)_test_[A-Za-z0-9_]+$/.test(key))
    return unauthorized('Invalid API key: a secret test key begins with sk_test_.');
  return null;
}

function keyIn(authorization: string): string | null {
  const match = /^(basic|bearer) +(\S+)$/i.exec(authorization);
  if (!match?.[1] || !match[2]) return null;
  if (match[1].toLowerCase() === 'bearer') return match[2];
  return Buffer.from(match[2], 'base64').toString('utf8').split(':')[0] || null;
}

function unauthorized(message: string): Refusal {
  return refuse(401, { type: 'invalid_request_error', message });
}
