import { type Call, type CallOptions, type Connection, given } from './connection.ts';
import { ResponseValidationError } from './errors.ts';
import { isObject, success } from './reply.ts';
import type { Guide, PaymentRequired, Plan, Purchase, Registration } from './storefront-records.ts';

/** A payment or a proof as a header value. A credential may include the name of its scheme. */
export interface PaymentFields {
  /** Credential of the `Payment` scheme (MPP). */
  payment_credential?: string | null;
  /** Signed payload of x402. */
  payment_signature?: string | null;
}

export interface QuoteFields extends PaymentFields {
  quantity?: number | null;
  /** The buyer's address, for the tax of a payment by card token. Without it the address of the request counts. */
  billing_address?: { country: string; postal_code?: string | null; state?: string | null } | null;
  /** USD */
  budget_usd?: string | number | null;
  /** True if the cost must be below the budget, not equal to it. */
  budget_exclusive?: boolean | null;
  review_after_calls?: number | null;
  requirements?: string[] | null;
  /** True if a person can open a payment page. */
  human_available?: boolean | null;
  payment?: 'x402' | 'mpp' | 'card' | (string & {}) | null;
}

export interface PurchaseFields extends PaymentFields {
  /** Decimal, in USD: `5.00`. Default: the smallest amount of the plan. */
  amount_usd?: string | null;
  quantity?: number | null;
  /** Address to which the payment page returns the person. */
  return_url?: string | null;
}

export async function register(connection: Connection, options?: CallOptions): Promise<Registration> {
  const body = { type: 'anonymous' };
  return success(
    await connection.send({ method: 'POST', path: '/agent/auth', body, twice: 'once', options }),
  );
}

export async function plans(connection: Connection, options?: CallOptions): Promise<Plan[]> {
  const reply = await connection.send({ method: 'GET', path: '/manifest.json', twice: 'free', options });
  const manifest = success<{ plans?: Plan[] }>(reply);
  if (!Array.isArray(manifest.plans))
    throw new ResponseValidationError(`The manifest at ${reply.url} has no plans`);
  return manifest.plans;
}

export async function quote(
  connection: Connection,
  goal: string,
  fields: QuoteFields,
  options?: CallOptions,
): Promise<Guide> {
  const { payment_credential: _, payment_signature: __, ...question } = fields;
  const body = camelCased(given({ goal, ...question }));
  const headers = payment(fields, 'authorization');
  const call: Call = headers
    ? // A proof works once: a repetition would be refused.
      { method: 'POST', path: '/advisor/quote', body, headers, twice: 'once', options }
    : { method: 'POST', path: '/advisor/guide', body, twice: 'free', options };
  return success(await connection.send(call), headers !== undefined);
}

export async function purchase(
  connection: Connection,
  plan: string,
  fields: PurchaseFields,
  options?: CallOptions,
): Promise<Purchase> {
  const { payment_credential: _, payment_signature: __, ...order } = fields;
  // The bearer occupies `authorization`.
  const headers = payment(fields, 'payment-authorization');
  const reply = await connection.send({
    method: 'POST',
    path: '/plans/{id}/purchase',
    id: plan,
    body: given(order),
    twice: 'paid',
    ...(headers && { headers }),
    options,
  });
  if (reply.status !== 402 || headers !== undefined || !isObject(reply.body))
    return success(reply, headers !== undefined);
  const challenges = {
    www_authenticate: reply.headers.get('www-authenticate'),
    payment_required: reply.headers.get('payment-required'),
  };
  return { ...(reply.body as unknown as PaymentRequired), ...given(challenges) };
}

/** The advisor's fields are camelCase, unlike all others. */
function camelCased(fields: object): object {
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camel(name), value]));
}

/** The headers of a payment or its proof; `credentialHeader` has the credential of the `Payment` scheme. */
function payment(fields: PaymentFields, credentialHeader: string): Record<string, string> | undefined {
  const { payment_credential: credential, payment_signature: signature } = fields;
  if (!credential && !signature) return undefined;
  return {
    ...(credential && { [credentialHeader]: `Payment ${credential.replace(/^Payment\s+/i, '')}` }),
    ...(signature && { 'payment-signature': signature }),
  };
}
