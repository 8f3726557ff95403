import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import * as CanonicalJson from '../../payment/canonical-json.ts';
import type { Challenge } from '../../payment/challenge.ts';
import { alternateField } from '../../payment/challenge.ts';
import * as Credential from '../../payment/credential.ts';
import type { Reply } from '../reply.ts';
import { type Exchange, toolResult } from './tool.ts';
import { isObject } from './tool-schema.ts';

/**
 * The `Payment` scheme over MCP: the challenge is a JSON-RPC error, and the credential and the receipt are in the `_meta` of request and
 * result. A challenge is the same as over HTTP, with its `request` decoded. MCP without a handshake (2026-07-28) reserves the code -32042,
 * so its challenge is in the `_meta` of the result.
 */
const credentialKey = 'org.paymentauth/credential';
const requiredKey = 'org.paymentauth/payment-required';
const receiptKey = 'org.paymentauth/receipt';
const paymentRequired = -32042;
const verificationFailed = -32043;

/** Reads the credential of a tool call: an object, or the text of the HTTP field. */
export function readCredential(meta: Readonly<Record<string, unknown>>): Credential.CredentialReading {
  const given = meta[credentialKey];
  if (given === undefined || given === null) return { kind: 'none' };
  const encoded = typeof given === 'string' ? given.replace(/^payment +/i, '') : encode(given);
  if (encoded === null) return { kind: 'malformed', reason: 'encoding' };
  const shown = encoded.length <= Credential.credentialCharsMax ? CanonicalJson.decode(encoded) : null;
  const field = isObject(shown) && isObject(shown.challenge) ? shown.challenge.header : undefined;
  const line = [`Payment ${encoded}`];
  return Credential.read(
    field === alternateField
      ? { authorization: [], paymentAuthorization: line }
      : { authorization: line, paymentAuthorization: [] },
  );
}

/**
 * Asks for a payment; a client that can pay sends the call again with the credential. Throws an error, or returns a result with the same
 * data in its `_meta` for revisions of MCP that reserve the error code.
 */
export function required(
  { isModern }: Pick<Exchange, 'isModern'>,
  reply: Reply,
  challenge: Challenge | null,
): CallToolResult {
  const { type, title, detail, success: _success, ...rest } = reply.body;
  const data = {
    httpStatus: 402,
    challenges:
      challenge === null ? [] : [{ ...challenge, request: CanonicalJson.decode(challenge.request) }],
    problem: { type, title, status: 402, detail },
  };
  const page = rest.checkout_url;
  const advice =
    page === undefined
      ? 'Pay with one of the methods in `rails`.'
      : `A person can pay by card at ${String(page)}`;
  if (isModern) {
    const result = toolResult(reply, advice);
    return { ...result, _meta: { ...result._meta, [requiredKey]: data } };
  }
  const code = rest.code === 'payment_declined' ? verificationFailed : paymentRequired;
  throw new ProtocolError(code, `${String(detail)} ${advice}`, { ...data, ...rest });
}

/** Adds the payment receipt of the reply, if any, to the result. */
export function receipted(result: CallToolResult, { headers }: Reply): CallToolResult {
  const receipt = headers['payment-receipt'];
  if (typeof receipt !== 'string') return result;
  return { ...result, _meta: { ...result._meta, [receiptKey]: CanonicalJson.decode(receipt) } };
}

/** Encodes a credential object; null when it has not the form of one. `Credential.read` checks its content. */
function encode(given: unknown): string | null {
  if (!isObject(given) || !isObject(given.challenge)) return null;
  const { request } = given.challenge;
  try {
    const wire = isObject(request) ? CanonicalJson.encode(request as CanonicalJson.JsonObject) : request;
    const challenge = { ...given.challenge, request: wire };
    return CanonicalJson.encode({ ...given, challenge } as CanonicalJson.JsonObject);
  } catch {
    return null;
  }
}
