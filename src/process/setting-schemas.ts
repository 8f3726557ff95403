import { hint } from '@sluice/kernel/did-you-mean';
import * as PostgresUrl from '@sluice/kernel/postgres-url';
import { z } from 'zod';
import * as Email from '../identity/email.ts';
import { agentPerDayUsual, type TrustedAgent } from '../identity/registration.ts';
import { type EncryptionKey, parseKey } from '../identity/stored-secret.ts';

/** Turns the text of a setting into its value. The message of an issue continues a sentence that starts with the setting's name. */
export type SettingSchema<Value = unknown> = z.ZodType<Value, string>;

/** Makes a schema of a function that returns the value, or throws `Invalid` with what is wrong. */
function parsedBy<Value>(parse: (text: string) => Value): SettingSchema<Value> {
  return z.string().transform((value, context) => {
    try {
      return parse(value.trim());
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      for (const message of error.messages) context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  });
}

class Invalid extends Error {
  readonly messages: readonly string[];

  constructor(...messages: string[]) {
    super(messages.join('; '));
    this.messages = messages;
  }
}

export const text: SettingSchema<string> = z.string();

export const lowerCaseText: SettingSchema<string> = z.string().toLowerCase();

export function wholeNumber(min: number, max: number): SettingSchema<number> {
  return parsedBy((given) => {
    const value = Number(given);
    if (/^\d{1,15}$/.test(given) && value >= min && value <= max) return value;
    throw new Invalid(`must be a whole number from ${min} to ${max}`);
  });
}

export function number(min: number, max: number): SettingSchema<number> {
  return parsedBy((given) => {
    const value = Number(given);
    if (given !== '' && value >= min && value <= max) return value;
    throw new Invalid(`must be a number from ${min} to ${max}`);
  });
}

export function oneOf<const Word extends string>(words: readonly Word[]): SettingSchema<Word> {
  return parsedBy((given) => {
    const found = words.find((word) => word === given);
    if (found !== undefined) return found;
    throw new Invalid(`must be one of ${words.join(', ')}. ${hint(given, words, 'Allowed values')}`);
  });
}

export const onOff: SettingSchema<boolean> = oneOf(['on', 'off']).transform((word) => word === 'on');

/** A URL without the slashes at its end. */
export function url(...protocols: readonly string[]): SettingSchema<string> {
  return parsedBy((given) => {
    if (protocols.includes(URL.parse(given)?.protocol ?? '')) return given.replace(/\/+$/, '');
    throw new Invalid(`must be a URL that starts with ${protocols.map((it) => `${it}//`).join(' or ')}`);
  });
}

export const webUrl: SettingSchema<string> = url('http:', 'https:');

/** Scheme, host and port of a web address, such as https://shop.example.com. */
export const origin: SettingSchema<string> = webUrl.refine((given) => URL.parse(given)?.origin === given, {
  message: 'must be an origin: scheme, host and port, without a path, query or credentials',
});

export const origins: SettingSchema<readonly string[]> = parsedBy((given) => {
  const all = list(given).map((one) => one.replace(/\/+$/, ''));
  const wrong = all.filter((one) => !origin.safeParse(one).success);
  if (wrong.length > 0)
    throw new Invalid(...wrong.map((one) => `has ${one}, which is not an http or https origin`));
  return all;
});

/** Origins with https and a name, or on this machine; each may have its registrations per day: `https://agent.example=500`. */
export const trustedAgents: SettingSchema<readonly TrustedAgent[]> = parsedBy((given) => {
  const faults: string[] = [];
  const all = list(given).map((one) => {
    const [address = '', limit, ...more] = one.split('=').map((part) => part.trim());
    const bare = address.replace(/\/+$/, '');
    if (!isAgentOrigin(bare))
      faults.push(`has ${one}; each agent is an https origin with a host name (http only on this machine)`);
    const perDay = limit === undefined ? agentPerDayUsual : Number(limit);
    if (more.length > 0 || (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit)))
      faults.push(`has ${one}; registrations per day are a whole number from 1 to 999,999`);
    return { origin: bare, perDay };
  });
  if (new Set(all.map(({ origin: one }) => one)).size < all.length) faults.push('has an agent twice');
  if (faults.length > 0) throw new Invalid(...faults);
  return all;
});

function isAgentOrigin(given: string): boolean {
  if (!origin.safeParse(given).success) return false;
  const { protocol, hostname } = new URL(given);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isLocal || (protocol === 'https:' && /[a-z]$/i.test(hostname));
}

export const postgresUrl: SettingSchema<string> = parsedBy((given) => {
  const read = PostgresUrl.parse(given);
  if (!read.ok) throw new Invalid(...read.faults);
  return given;
});

/** Keys as `ID=KEY`, 32 bytes in base64 each. A fault repeats no key. */
export const encryptionKeys: SettingSchema<readonly EncryptionKey[]> = parsedBy((given) => {
  const keys = list(given).map(parseKey);
  const read = keys.filter((key) => key !== null);
  const wrong = keys.indexOf(null);
  if (wrong >= 0)
    throw new Invalid(
      `must have the form ID=KEY, with an ID of letters, digits, "." and "-", and the output of openssl rand -base64 32 as the KEY; number ${wrong + 1} has not`,
    );
  if (new Set(read.map(({ id }) => id)).size < read.length) throw new Invalid('has two keys of one ID');
  return read;
});

export const textList: SettingSchema<readonly string[]> = z.string().transform(list);

/** `shop@example.com`, or `Shop <shop@example.com>`. */
export const sender: SettingSchema<string> = parsedBy((given) => {
  const address = /^[^<>\r\n]*<([^<>\s]+)>$/.exec(given)?.[1] ?? given;
  if (Email.parse(address) !== null && !/[\r\n]/.test(given)) return given;
  throw new Invalid('must be an email address: shop@example.com or Shop <shop@example.com>');
});

export const sha256: SettingSchema<string> = z.string().regex(/^[0-9a-f]{64}$/, {
  message: 'must be a SHA-256 digest: 64 lower-case hexadecimal digits',
});

export function textOfAtLeast(charsMin: number): SettingSchema<string> {
  return z.string().min(charsMin, { message: `must have at least ${charsMin} characters` });
}

/** The samplers of OpenTelemetry as shares of traces; null where OTEL_TRACES_SAMPLER_ARG sets the share. */
const samplers = { always_on: 1, always_off: 0, traceidratio: null } as const;
const samplerNames = Object.keys(samplers) as (keyof typeof samplers)[];

export const samplerShare: SettingSchema<number | null> = z
  .string()
  .transform((given) => given.trim().replace(/^parentbased_/, ''))
  .pipe(oneOf(samplerNames))
  .transform((name) => samplers[name]);

function list(given: string): string[] {
  return given
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
