import { Hono } from 'hono';
import * as AccessToken from '../../identity/access-token.ts';
import * as Quote from '../../journeys/quote.ts';
import type { SignedIn } from '../../journeys/wallet-sign-in.ts';
import * as AcceptPayment from '../../payment/accept-payment.ts';
import * as Challenge from '../../payment/challenge.ts';
import type * as Proof from '../../payment/proof.ts';
import * as Receipt from '../../payment/receipt.ts';
import * as TempoProof from '../../payment/tempo-proof.ts';
import * as PaymentRequired from '../../payment/x402/payment-required.ts';
import * as X402Response from '../../payment/x402/response.ts';
import { address, bytes, type Env, lines, parseJson, requestId, send, unprocessable } from '../edge.ts';
import { error, json, type Reply } from '../reply.ts';

/** How clients of x402 call it in `Accept-Payment`. */
const x402 = { method: 'evm', intent: 'charge' };

/** Free advice for whoever proves a wallet. @param ask the advisor */
export function routes(shop: Quote.QuoteShop, ask: Quote.Ask, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();

  app.post(shop.proofs.path, async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const parsed = parseJson(c, body);
    if (!('value' in parsed)) return send(c, parsed);
    const asked = ask(parsed.value);
    if (asked.kind === 'fault') return send(c, unprocessable(c, asked.faults));
    const answer = await Quote.run(shop, {
      body,
      fields: {
        authorization: lines(c, 'authorization'),
        paymentAuthorization: lines(c, 'payment-authorization'),
        paymentSignature: lines(c, 'payment-signature'),
        xPayment: lines(c, 'x-payment'),
      },
      address: address(c, clientAddressHeader),
      advise: asked.advise,
    });
    if (answer.kind === 'advised') c.get('entry').account = answer.signedIn.account;
    return send(c, reply(shop, answer, lines(c, 'accept-payment').join(','), requestId(c)));
  });
  return app;
}

function reply(shop: Quote.QuoteShop, answer: Quote.QuoteAnswer, accepted: string, id: string): Reply {
  switch (answer.kind) {
    case 'proof_required':
      return proofRequired(shop.proofs, answer, accepted, id);
    case 'bad_proof':
      return error(400, 'bad_credential', answer.problem.detail, id, { ...answer.problem, status: 400 });
    case 'rate_limited':
      return tooMany('rate_limited', 'Too many proofs from this address in one second.', answer, id);
    case 'registration_limited':
      return tooMany(
        'registration_limited',
        'Too many new wallets; ask without one at the guide.',
        answer,
        id,
      );
    case 'advised':
      return advised(answer);
  }
}

function tooMany(
  code: string,
  message: string,
  { retryAfterSeconds }: { retryAfterSeconds: number },
  id: string,
): Reply {
  return error(429, code, message, id, {}, { 'retry-after': String(retryAfterSeconds) });
}

/** The 402, with a challenge by each scheme that the client takes. */
function proofRequired(
  { terms, resource }: Proof.Route,
  { reason, problem, challenge }: Quote.ProofRequired,
  accepted: string,
  id: string,
): Reply {
  const required = {
    error: reason ?? 'payment_required',
    resource,
    requirements: terms.requirements,
  };
  const { method, intent } = TempoProof;
  const offers = [
    {
      ...x402,
      rail: { rail: 'x402', scheme: 'exact', networks: terms.requirements.map(({ network }) => network.id) },
      members: PaymentRequired.legacyBody(required),
      headers: { 'payment-required': PaymentRequired.header(required) },
    },
    {
      method,
      intent,
      rail: { rail: 'mpp', method, intent, challenge: challenge.id, expires_at: challenge.expires },
      members: {},
      headers: { 'www-authenticate': Challenge.serialize(challenge) },
    },
  ];
  const taken = AcceptPayment.rank(offers, accepted);
  return error(
    402,
    reason === null ? 'payment_required' : 'proof_refused',
    problem.detail,
    id,
    Object.assign(
      { ...problem, status: 402, reason, rails: taken.map(({ rail }) => rail) },
      ...taken.map(({ members }) => members),
    ),
    Object.assign({ 'content-type': 'application/problem+json' }, ...taken.map(({ headers }) => headers)),
  );
}

function advised({
  advice,
  proof,
  signedIn,
  takenAtMs,
}: Extract<Quote.QuoteAnswer, { kind: 'advised' }>): Reply {
  return json(
    200,
    { success: true, ...advice, ...identity(proof.wallet, signedIn) },
    { ...receipt(proof, takenAtMs), 'cache-control': 'private, no-store' },
  );
}

/** Who the wallet is here, in the words of a registration's answer. */
function identity(wallet: string, { account, access, assertion, trial }: SignedIn): Record<string, unknown> {
  return {
    wallet,
    account,
    access_token: access.token,
    token_type: 'Bearer',
    expires_in: AccessToken.lifeSeconds,
    identity_assertion: assertion.token,
    assertion_expires: new Date(assertion.claims.expiresMs).toISOString(),
    trial:
      trial === null
        ? null
        : { id: trial.id, kind: trial.kind, status: 'active', included_remaining: trial.included },
  };
}

function receipt(proof: Proof.Candidate, takenAtMs: number): Record<string, string> {
  if (proof.scheme === 'x402') {
    const { payload, requirement } = proof.checked;
    return Object.fromEntries([X402Response.field(payload, requirement, '')]);
  }
  const { challengeId } = proof;
  return {
    'payment-receipt': Receipt.serialize({
      method: TempoProof.method,
      reference: challengeId,
      challengeId,
      settledAtMs: takenAtMs,
    }),
  };
}
