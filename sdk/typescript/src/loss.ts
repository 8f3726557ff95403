import { APIConnectionError, APITimeoutError } from './errors.ts';

/** An attempt without a response. `sent`: the request may have arrived. */
export type Loss = { sent: boolean; error: APIConnectionError };

/** Error codes of Node, Bun and the operating system for a connection that could not be made. */
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
/** Deno has no error codes. */
const neverConnectedText = /client error \(Connect\)|tcp connect error|dns error/;
const timedOut = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** Interprets an error of `fetch`. In doubt the request counts as sent, because a retry could be charged twice. */
export function of(fault: unknown, url: string, timeoutMs: number): Loss {
  const chain = causes(fault);
  const codes = chain.map(({ code }) => code);
  const sent = !chain.some(
    ({ code, message }) => neverConnected.has(code) || neverConnectedText.test(message),
  );
  if (chain.some(({ name }) => name === 'TimeoutError')) {
    return {
      sent: true,
      error: new APITimeoutError(`No response from ${url} within ${timeoutMs / 1000} s`, { cause: fault }),
    };
  }
  const why = codes.find((code) => code !== '') ?? chain[0]?.message ?? 'unknown fault';
  const message = sent ? `The connection to ${url} broke: ${why}` : `${url} could not be reached: ${why}`;
  const Type = codes.some((code) => timedOut.has(code)) ? APITimeoutError : APIConnectionError;
  return { sent, error: new Type(message, { cause: fault }) };
}

type Cause = { name: string; code: string; message: string };
const causesMax = 5;

/** Returns an error and its causes, the innermost last. */
function causes(fault: unknown): Cause[] {
  const found: Cause[] = [];
  for (let next = fault; next instanceof Error && found.length < causesMax; next = next.cause) {
    const { code } = next as { code?: unknown };
    found.push({ name: next.name, code: typeof code === 'string' ? code : '', message: next.message });
  }
  return found;
}
