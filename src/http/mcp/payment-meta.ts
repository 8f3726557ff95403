import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import * as CanonicalJson from '../../payment/canonical-json.ts';
import type { Challenge } from '../../payment/challenge.ts';
import { alternateField } from '../../payment/challenge.ts';
import * as Credential from '../../payment/credential.ts';
import type { Reply } from '../reply.ts';
import { type Exchange, told } from './tool.ts';
import { isObject } from './tool-schema.ts';

/**
 * The `Payment` scheme over MCP: the challenge is a JSON-RPC error, the credential and the receipt are `_meta` of request
 * and result. A challenge is the one of HTTP, with its `request` read out. MCP without a handshake (2026-07-28) keeps
 * the code -32042 back for itself; there the challenge is in the `_meta` of the result.
 */
const credentialKey = 'org.paymentauth/credential';
const requiredKey = 'org.paymentauth/payment-required';
const receiptKey = 'org.paymentauth/receipt';
const paymentRequired = -32042;
const verificationFailed = -32043;

/** The credential of a tool call: an object as clients of MCP make it, or the text of the HTTP field. */
export function read(meta: Readonly<Record<string, unknown>>): Credential.Reading {
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
 * Asks for a payment; a client that pays by itself sends the call again with the credential. Thrown as an error where the
 * revision of MCP lets one through, else a result that has the same in its `_meta`.
 */
export function required(
  { isModern }: Pick<Exchange, 'isModern'>,
  reply: Reply,
  challenge: Challenge,
): CallToolResult {
  const { type, title, detail, success: _success, ...rest } = reply.body;
  const { request, ...echoed } = challenge;
  const data = {
    httpStatus: 402,
    challenges: [{ ...echoed, request: CanonicalJson.decode(request) }],
    problem: { type, title, status: 402, detail },
  };
  const advice = `A person pays at ${String(rest.checkout_url)}`;
  if (isModern) {
    const result = told(reply, advice);
    return { ...result, _meta: { ...result._meta, [requiredKey]: data } };
  }
  const code = rest.code === 'payment_declined' ? verificationFailed : paymentRequired;
  throw new ProtocolError(code, `${String(detail)} ${advice}`, { ...data, ...rest });
}

/** A result with the receipt of its payment, where its reply has one. */
export function receipted(result: CallToolResult, { headers }: Reply): CallToolResult {
  const receipt = headers['payment-receipt'];
  if (typeof receipt !== 'string') return result;
  return { ...result, _meta: { ...result._meta, [receiptKey]: CanonicalJson.decode(receipt) } };
}

/** Null for what no credential looks like; what it says is for `Credential.read` to judge. */
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
