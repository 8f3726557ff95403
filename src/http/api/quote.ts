import { path } from '@sluice/kernel/endpoints';
import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Quote from '../../journeys/quote.ts';
import * as AcceptPayment from '../../payment/accept-payment.ts';
import * as Challenge from '../../payment/challenge.ts';
import type * as Proof from '../../payment/proof.ts';
import * as Receipt from '../../payment/receipt.ts';
import * as TempoProof from '../../payment/tempo-proof.ts';
import * as PaymentRequired from '../../payment/x402/payment-required.ts';
import * as X402Response from '../../payment/x402/response.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply, tooManyRequests } from '../reply.ts';
import {
  address,
  bytes,
  type Env,
  lines,
  parseJson,
  requestId,
  send,
  unprocessable,
} from '../request-context.ts';

/** The name of x402 in `Accept-Payment`. */
const x402 = { method: 'evm', intent: 'charge' };

/** Free advice for callers who prove that they own a wallet. @param ask the advisor */
export function quoteRoutes(
  shop: Quote.QuoteContext & Pick<CatalogContext, 'publicUrl'> & TextsContext,
  ask: Quote.Ask,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();

  for (const proofs of [shop.proofs, shop.requiredProofs])
    app.post(proofs.path, async (c) => {
      const body = await bytes(c);
      if (!Buffer.isBuffer(body)) return send(c, body);
      const parsed = parseJson(c, body);
      if (!('value' in parsed)) return send(c, parsed);
      const asked = ask(parsed.value);
      if (asked.kind === 'fault') return send(c, unprocessable(c, asked.faults));
      const answer = await Quote.quote(
        { ...shop, proofs },
        {
          body,
          fields: {
            authorization: lines(c, 'authorization'),
            paymentAuthorization: lines(c, 'payment-authorization'),
            paymentSignature: lines(c, 'payment-signature'),
            xPayment: lines(c, 'x-payment'),
          },
          address: address(c, clientAddressHeader),
          advise: asked.advise,
        },
      );
      return send(c, reply({ ...shop, proofs }, answer, lines(c, 'accept-payment').join(','), requestId(c)));
    });
  return app;
}

function reply(
  shop: { proofs: Proof.ProofRoute } & Pick<CatalogContext, 'publicUrl'> & TextsContext,
  answer: Quote.QuoteResult,
  accepted: string,
  id: string,
): Reply {
  switch (answer.kind) {
    case 'proof_required':
      return proofRequired(shop.proofs, answer, accepted, id);
    case 'bad_proof':
      return error(400, 'bad_credential', answer.problem.detail, id, { ...answer.problem, status: 400 });
    case 'rate_limited':
      return tooManyRequests('rate_limited', shop.texts.text('api.rate_limited.proofs'), answer, id);
    case 'advised':
      return advised(shop, answer);
  }
}

/** The 402, with a challenge for each scheme that the client accepts. */
function proofRequired(
  { terms, resource }: Proof.ProofRoute,
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

function advised(
  { publicUrl }: Pick<CatalogContext, 'publicUrl'>,
  { advice, proof, takenAtMs }: Extract<Quote.QuoteResult, { kind: 'advised' }>,
): Reply {
  const signIn = {
    method: 'POST',
    url: publicUrl + path.register,
    headers: { 'content-type': 'application/json' },
    body: { type: 'wallet' },
  };
  return json(
    200,
    { success: true, ...advice, wallet: proof.wallet, sign_in: signIn },
    { ...receipt(proof, takenAtMs), 'cache-control': 'private, no-store' },
  );
}

function receipt(proof: Proof.ProofCandidate, takenAtMs: number): Record<string, string> {
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
