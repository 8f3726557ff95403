import type { Stripe } from 'stripe';
import { z } from 'zod';
import { account } from '../objects/account.ts';
import * as Confirmation from '../objects/confirmation.ts';
import * as Customer from '../objects/customer.ts';
import * as GrantedToken from '../objects/granted-token.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import { taxCalculations } from '../objects/tax-calculation.ts';
import * as List from '../protocol/list.ts';
import {
  boolean,
  clearable,
  currency,
  email,
  integer,
  type Known,
  list,
  mergeMetadata,
  metadata,
  refuseAmount,
  text,
  url,
} from '../protocol/params.ts';
import { listing } from '../protocol/reading.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Search from '../protocol/search.ts';
import type { RequestContext } from '../request-context.ts';
import * as Settlement from '../settlement.ts';
import * as Store from '../store.ts';

const grantedName = GrantedToken.parameter;

/** The parameters of an attempt to pay, at creation or later. API versions differ in where they accept a granted token; both places work. */
const confirmation = {
  payment_method: text().optional(),
  [grantedName]: text().optional(),
  payment_method_data: z.strictObject({ [grantedName]: text() }).optional(),
  off_session: boolean.optional(),
  error_on_requires_action: boolean.optional(),
  return_url: url.optional(),
} satisfies Known<Stripe.PaymentIntentConfirmParams & Record<typeof grantedName, string>>;

const creation = z.strictObject({
  amount: integer,
  currency,
  ...confirmation,
  allowed_payment_method_types: list(z.enum(['card', 'link']), 2).optional(),
  confirm: boolean.optional(),
  automatic_payment_methods: z
    .strictObject({ enabled: boolean, allow_redirects: z.enum(['always', 'never']).default('always') })
    .optional(),
  capture_method: z.enum(['automatic', 'automatic_async']).optional(),
  confirmation_method: z.enum(['automatic']).optional(),
  customer: text().optional(),
  description: text(1_000).optional(),
  hooks: z
    .strictObject({ inputs: z.strictObject({ tax: z.strictObject({ calculation: text() }) }) })
    .optional(),
  metadata: metadata.optional(),
  receipt_email: email.optional(),
  setup_future_usage: z.enum(['off_session', 'on_session']).optional(),
} satisfies Known<Stripe.PaymentIntentCreateParams>);

/** Without a word about it, redirects included, as at the processor. */
const automaticDefault = { enabled: true, allow_redirects: 'always' } as const;

type Means = { method: PaymentMethod.PaymentMethod; grantedToken: string | null };

/** Reads the means of payment; null when neither a card nor a token is given. */
function meansOf(
  ctx: RequestContext,
  given: Pick<z.infer<typeof creation>, keyof typeof confirmation>,
  due: { amount: number; currency: string; customer?: string | null | undefined },
): Means | Refusal | null {
  const inner = given.payment_method_data?.[grantedName];
  const tokenId = given[grantedName] ?? inner;
  if (tokenId === undefined) {
    if (given.payment_method === undefined) return null;
    const method = PaymentMethod.resolve(ctx, given.payment_method, 'payment_method');
    if (isRefusal(method)) return method;
    return PaymentMethod.refuseUse(method, due.customer ?? null) ?? { method, grantedToken: null };
  }
  const param = inner === undefined ? grantedName : `payment_method_data[${grantedName}]`;
  if (given.payment_method !== undefined) {
    return invalid(`Give a payment_method or a ${grantedName}, not both.`, { param });
  }
  const token = Store.get(ctx.store, GrantedToken.grantedTokens, tokenId);
  if (token === undefined) return missing('shared_payment.granted_token', tokenId, param);
  const refusal = GrantedToken.refuseUse(token, { ...due, now: ctx.now }, param);
  if (refusal !== null) return refusal;
  const method = PaymentMethod.resolve(ctx, token._payment_method, param);
  return isRefusal(method) ? method : { method: PaymentMethod.copy(ctx, method), grantedToken: tokenId };
}

/** A payment that may lead the payer to another site needs an address to come back to. */
function refuseMissingReturn(
  automatic: Stripe.PaymentIntent.AutomaticPaymentMethods | null,
  given: { off_session?: boolean | undefined; return_url?: string | undefined },
): Refusal | null {
  if (automatic === null || automatic.allow_redirects === 'never') return null;
  if (given.return_url !== undefined || given.off_session === true) return null;
  return invalid(
    'This PaymentIntent may use payment methods that redirect the payer, so it needs a return_url, or automatic_payment_methods[allow_redirects]=never.',
    { param: 'return_url' },
  );
}

function attempt(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  { method, grantedToken }: Means,
  given: {
    off_session?: boolean | undefined;
    error_on_requires_action?: boolean | undefined;
    return_url?: string | undefined;
  },
): PaymentIntent.PaymentIntent | Refusal {
  const result = Confirmation.confirm(ctx, intent, {
    method,
    grantedToken,
    offSession: given.off_session ?? false,
    errorOnRequiresAction: given.error_on_requires_action ?? false,
    returnUrl: given.return_url ?? null,
  });
  Settlement.follow(ctx, PaymentIntent.getPaymentIntent(ctx, intent.id));
  return result;
}

function create(
  ctx: RequestContext,
  params: z.infer<typeof creation>,
): PaymentIntent.PaymentIntent | Refusal {
  const wrongAmount = refuseAmount(params.amount, params.currency, account(ctx).default_currency);
  if (wrongAmount !== null) return wrongAmount;
  if (params.customer !== undefined && !Store.get(ctx.store, Customer.customers, params.customer)) {
    return missing('customer', params.customer, 'customer');
  }
  const calculation = params.hooks?.inputs.tax.calculation;
  if (calculation !== undefined && !Store.get(ctx.store, taxCalculations, calculation))
    return missing('tax calculation', calculation, 'hooks[inputs][tax][calculation]');
  for (const param of ['off_session', 'error_on_requires_action', 'return_url'] as const) {
    if (params[param] !== undefined && params.confirm !== true) {
      return invalid(`${param} can only be given together with confirm=true.`, { param });
    }
  }
  const wanted = params.automatic_payment_methods ?? automaticDefault;
  const automatic = wanted.enabled ? wanted : null;
  const noWayBack = params.confirm === true ? refuseMissingReturn(automatic, params) : null;
  if (noWayBack !== null) return noWayBack;
  const means = meansOf(ctx, params, params);
  if (means !== null && isRefusal(means)) return means;
  if (means === null && params.confirm === true) return Confirmation.noMethod;
  const intent = PaymentIntent.create(ctx, { ...params, automatic_payment_methods: automatic });
  if (means === null) return intent;
  if (params.confirm === true) return attempt(ctx, intent, means, params);
  return PaymentIntent.update(ctx, intent, {
    status: 'requires_confirmation',
    payment_method: means.method.id,
    _granted_token: means.grantedToken,
  });
}

function confirm(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  params: Pick<z.infer<typeof creation>, keyof typeof confirmation>,
): PaymentIntent.PaymentIntent | Refusal {
  if (!PaymentIntent.isOpen(intent)) return Confirmation.unexpected(intent, 'confirmed');
  const kept =
    intent._granted_token !== null
      ? { [grantedName]: intent._granted_token }
      : { payment_method: intent.payment_method ?? undefined };
  const given = meansOf(ctx, params, intent);
  const means = given ?? meansOf(ctx, { ...params, ...kept }, intent);
  if (means === null) return Confirmation.noMethod;
  if (isRefusal(means)) return means;
  return refuseMissingReturn(intent.automatic_payment_methods, params) ?? attempt(ctx, intent, means, params);
}

/** The intent of the path, or a 404. */
function onIntent(
  ctx: RequestContext,
  id: string,
  deed: (intent: PaymentIntent.PaymentIntent) => PaymentIntent.PaymentIntent | Refusal,
): PaymentIntent.PaymentIntent | Refusal {
  const intent = Store.get(ctx.store, PaymentIntent.paymentIntents, id);
  return intent === undefined ? missing('payment_intent', id) : deed(intent);
}

const searchable = ['amount', 'created', 'currency', 'customer', 'metadata', 'status'];

export const paymentIntents: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/payment_intents',
    gives: 'payment_intent',
    params: creation,
    run: create,
  }),
  listing({
    path: '/v1/payment_intents',
    gives: 'payment_intent',
    table: PaymentIntent.paymentIntents,
    params: {
      created: List.created,
      customer: text().optional(),
    } satisfies Known<Stripe.PaymentIntentListParams>,
  }),
  route({
    method: 'GET',
    path: '/v1/payment_intents/search',
    gives: 'payment_intent',
    isList: true,
    params: z.strictObject({
      query: text(),
      limit: List.pageParams.limit,
      page: text().optional(),
    } satisfies Known<Stripe.PaymentIntentSearchParams>),
    run: ({ store }, { query, limit, page: after }) => {
      const clauses = Search.parse(query, searchable);
      if (isRefusal(clauses)) return clauses;
      const rows = Store.all(store, PaymentIntent.paymentIntents).filter((row) => Search.meets(row, clauses));
      const page = List.page(rows, '/v1/payment_intents/search', { limit, starting_after: after });
      if (isRefusal(page)) return page;
      return {
        ...page,
        object: 'search_result',
        next_page: page.has_more ? (page.data.at(-1)?.id ?? null) : null,
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/payment_intents/:id',
    gives: 'payment_intent',
    params: z.strictObject({ client_secret: text().optional() }),
    run: (ctx, _params, id) => onIntent(ctx, id, (intent) => intent),
  }),
  route({
    method: 'POST',
    path: '/v1/payment_intents/:id',
    gives: 'payment_intent',
    params: z.strictObject({
      description: clearable(1_000).optional(),
      metadata: metadata.optional(),
      receipt_email: email.optional(),
    } satisfies Known<Stripe.PaymentIntentUpdateParams>),
    run: (ctx, { metadata: given, description, receipt_email }, id) =>
      onIntent(ctx, id, (intent) =>
        PaymentIntent.update(ctx, intent, {
          metadata: mergeMetadata(intent.metadata, given),
          ...(description === undefined ? {} : { description }),
          ...(receipt_email === undefined ? {} : { receipt_email }),
        }),
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/payment_intents/:id/confirm',
    gives: 'payment_intent',
    params: z.strictObject(confirmation),
    run: (ctx, params, id) => onIntent(ctx, id, (intent) => confirm(ctx, intent, params)),
  }),
  route({
    method: 'POST',
    path: '/v1/payment_intents/:id/cancel',
    gives: 'payment_intent',
    params: z.strictObject({
      cancellation_reason: z
        .enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'])
        .optional(),
    } satisfies Known<Stripe.PaymentIntentCancelParams>),
    run: (ctx, { cancellation_reason }, id) =>
      onIntent(ctx, id, (intent) =>
        PaymentIntent.isOpen(intent)
          ? PaymentIntent.cancel(ctx, intent, cancellation_reason ?? null)
          : Confirmation.unexpected(intent, 'cancelled'),
      ),
  }),
];
