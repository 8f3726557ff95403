import { Agent } from 'undici';
import { z } from 'zod';
import type { JsonObject } from '../payment/canonical-json.ts';
import type { Facilitator, Settleable, Settlement, SettlementFailure } from '../payment/x402/facilitator.ts';
import { authorizationJson } from '../payment/x402/payload.ts';
import { toJson, toLegacyJson } from '../payment/x402/requirement.ts';
import type { Resource } from '../payment/x402/resource.ts';
import * as FacilitatorKey from './facilitator-key.ts';

/** An x402 facilitator over HTTP, for both protocol versions. A settlement counts only when every field of it matches the request. */

const connectTimeoutMs = 5_000;
/** Includes the time that the facilitator waits for the chain. */
const settleTimeoutMs = 30_000;
const responseBytesMax = 64 * 1024;
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Errors of connections that were never established: no payment was sent, so none was settled. */
const notConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w+_CERT\w*|\w+_SIGNATURE)$/;

/**
 * Reasons that a facilitator gives for a payment that it has verified and not submitted. After any other reason the transaction
 * may still be submitted.
 */
const certain: ReadonlyMap<string, SettlementFailure> = new Map([
  ['insufficient_funds', 'insufficient_funds'],
  ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
  ['payment_expired', 'expired'],
  ['invalid_exact_evm_payload_authorization_valid_before', 'expired'],
  ['invalid_exact_evm_payload_authorization_valid_after', 'refused'],
  ['invalid_exact_evm_payload_authorization_value', 'refused'],
  ['invalid_exact_evm_authorization_value', 'refused'],
  ['invalid_exact_evm_payload_signature', 'refused'],
  ['invalid_exact_evm_signature', 'refused'],
  ['invalid_exact_evm_payload_recipient_mismatch', 'refused'],
  ['invalid_exact_evm_recipient_mismatch', 'refused'],
  ['invalid_exact_evm_payload_authorization_value_mismatch', 'refused'],
  ['invalid_exact_evm_failed_to_parse_signature', 'refused'],
  ['eip6492_factory_not_allowed', 'refused'],
  ['invalid_payload', 'refused'],
]);

/** Reasons that reject the shop's own configuration, whatever the payment: its network or scheme. The buyer cannot fix them. */
const refusesShop: ReadonlySet<string> = new Set([
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'asset_not_deployed_contract',
  'invalid_network',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_scheme',
  'unsupported_network',
]);

export type FacilitatorSettings = {
  /** https, or http on this machine; without query and credentials. */
  url: string;
  key?: FacilitatorKey.Key;
  settleTimeoutMs?: number;
};

/** Opens a client of a facilitator, which connects when first used. Throws TypeError for an address that is not safe to use. */
export function openFacilitator(settings: FacilitatorSettings): Facilitator {
  const url = parseUrl(settings.url);
  const timeoutMs = settings.settleTimeoutMs ?? settleTimeoutMs;
  const sign = FacilitatorKey.signer(settings.key ?? { kind: 'none' });
  const path = `${url.pathname.replace(/\/+$/, '')}/settle`;
  // Each settlement uses a new connection: a stale one could leave the outcome of the settlement unknown.
  const agent = new Agent({
    connect: { timeout: Math.min(connectTimeoutMs, timeoutMs) },
    pipelining: 0,
    maxResponseSize: responseBytesMax,
  });

  async function ask(payment: Settleable, resource: Resource): Promise<Settlement> {
    const authorization = await sign('POST', url.host, path);
    const answer = await agent.request({
      origin: url.origin,
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization },
      body: JSON.stringify(request(payment, resource)),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.body.text();
    // A facilitator that rejects the shop's credentials settles no payment.
    if (answer.statusCode === 401 || answer.statusCode === 403)
      return { kind: 'unavailable', refused: true, detail: `the facilitator answered ${answer.statusCode}` };
    if (answer.statusCode >= 300 && answer.statusCode < 400)
      return unknown(`answered ${answer.statusCode}, which is not followed`);
    return judge(payment, answer.statusCode, text);
  }

  return {
    settle: (payment, resource) => ask(payment, resource).catch(fault),
    close: () => agent.close(),
  };
}

function parseUrl(text: string): URL {
  const url = new URL(text);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && loopback.includes(url.hostname));
  if (!isSafe || url.search + url.hash + url.username + url.password !== '')
    throw new TypeError('the facilitator is an https address without query and credentials');
  return url;
}

/** Builds the request in the buyer's protocol version, from verified values only. */
function request({ payload, requirement }: Settleable, resource: Resource): JsonObject {
  const signed = { signature: payload.signature, authorization: authorizationJson(payload.authorization) };
  if (payload.version === 1) {
    const required = toLegacyJson(requirement, resource);
    if (required === null) throw new TypeError(`version 1 has no name for ${requirement.network.id}`);
    const { scheme = '', network: name = '' } = required;
    return {
      x402Version: 1,
      paymentPayload: { x402Version: 1, scheme, network: name, payload: signed },
      paymentRequirements: required,
    };
  }
  const accepted = toJson(requirement);
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, resource, accepted, payload: signed },
    paymentRequirements: accepted,
  };
}

const answerShape = z.object({
  success: z.boolean(),
  transaction: z.string().nullish(),
  network: z.string().nullish(),
  payer: z.string().nullish(),
  amount: z.string().nullish(),
  errorReason: z.string().nullish(),
});

function judge({ payload, requirement }: Settleable, status: number, text: string): Settlement {
  const answer = answerShape.safeParse(parseJson(text)).data;
  if (!answer) return unknown(`answered ${status} with something else than a settlement`);
  const { success, transaction, network, payer, amount, errorReason } = answer;
  if (!success) {
    const failure = transaction ? undefined : certain.get(errorReason ?? '');
    if (!transaction && refusesShop.has(errorReason ?? ''))
      return { kind: 'unavailable', refused: true, detail: `the facilitator refuses: ${errorReason}` };
    return failure
      ? { kind: 'failed', reason: failure }
      : unknown(`not settled: ${(errorReason ?? 'no reason').slice(0, 100)}`);
  }
  const { id, legacyName } = requirement.network;
  const isWhole =
    status === 200 &&
    /^0x[0-9a-fA-F]{64}$/.test(transaction ?? '') &&
    network === (payload.version === 2 ? id : legacyName) &&
    (payer ?? payload.authorization.from).toLowerCase() === payload.authorization.from &&
    (amount ?? String(requirement.amount)) === String(requirement.amount);
  return isWhole && transaction
    ? { kind: 'succeeded', transaction: transaction.toLowerCase() }
    : unknown('says that it settled, and not this payment');
}

function fault(error: unknown): Settlement {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && notConnected.test(code))
    return { kind: 'unavailable', refused: false, detail: `the facilitator is not reached: ${code}` };
  return unknown(`gave no answer: ${typeof code === 'string' ? code : String(name)}`);
}

function unknown(detail: string): Settlement {
  return { kind: 'unknown', detail: `the facilitator ${detail}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
