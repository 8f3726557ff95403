import { APIConnectionError, APITimeoutError } from './errors.ts';

/** An attempt without an answer. `sent`: the service may have seen it. */
export type Loss = { sent: boolean; error: APIConnectionError };

/** What Node, Bun and the systems below them call a connection that never was. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
  'DNSException',
]);
/** Deno has no codes. */
const neverConnectedText = /client error \(Connect\)|tcp connect error|dns error/;
const timedOut = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** Reads what `fetch` threw. What cannot be told counts as sent: to repeat it could cost twice. */
export function of(fault: unknown, url: string, timeoutMs: number): Loss {
  const chain = causes(fault);
  const codes = chain.map(({ code }) => code);
  const sent = !chain.some(
    ({ code, message }) => neverConnected.has(code) || neverConnectedText.test(message),
  );
  if (chain.some(({ name }) => name === 'TimeoutError')) {
    return {
      sent: true,
      error: new APITimeoutError(`No answer from ${url} within ${timeoutMs / 1000} s`, { cause: fault }),
    };
  }
  const why = codes.find((code) => code !== '') ?? chain[0]?.message ?? 'unknown fault';
  const message = sent ? `The connection to ${url} broke: ${why}` : `${url} could not be reached: ${why}`;
  const Type = codes.some((code) => timedOut.has(code)) ? APITimeoutError : APIConnectionError;
  return { sent, error: new Type(message, { cause: fault }) };
}

type Cause = { name: string; code: string; message: string };
const causesMax = 5;

/** A fault and what caused it, the innermost last. */
function causes(fault: unknown): Cause[] {
  const found: Cause[] = [];
  for (let next = fault; next instanceof Error && found.length < causesMax; next = next.cause) {
    const { code } = next as { code?: unknown };
    found.push({ name: next.name, code: typeof code === 'string' ? code : '', message: next.message });
  }
  return found;
}
