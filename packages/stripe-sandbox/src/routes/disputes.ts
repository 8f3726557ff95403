import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Dispute from '../objects/dispute.ts';
import * as List from '../protocol/list.ts';
import { type Known, mergeMetadata, metadata, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';

const path = '/v1/disputes';

/** The texts of evidence that decide a test dispute. */
const verdicts = ['winning_evidence', 'losing_evidence', 'escalate_inquiry_evidence'] as const;

function submit(
  ctx: RequestContext,
  dispute: Dispute.Dispute,
  evidence: (typeof verdicts)[number],
): Dispute.Dispute | Refusal {
  if (!Dispute.isOpen(dispute)) return invalid('This dispute is already closed.', { param: 'evidence' });
  const { submission_count: count } = dispute.evidence_details;
  const submitted = Dispute.update(ctx, dispute, {
    evidence: { ...dispute.evidence, uncategorized_text: evidence },
    evidence_details: {
      ...dispute.evidence_details,
      has_evidence: true,
      submission_count: count + 1,
      submission_method: 'manual',
    },
  });
  if (evidence === 'escalate_inquiry_evidence') {
    return dispute.status === 'warning_needs_response' ? Dispute.escalate(ctx, submitted) : submitted;
  }
  return Dispute.close(ctx, submitted, evidence === 'winning_evidence' ? 'won' : 'lost');
}

export const disputes: readonly Route[] = [
  listing({
    path,
    gives: 'dispute',
    table: Dispute.disputes,
    params: {
      created: List.created,
      charge: text().optional(),
      payment_intent: text().optional(),
    } satisfies Known<Stripe.DisputeListParams>,
  }),
  retrieval(path, 'dispute', Dispute.disputes),
  route({
    method: 'POST',
    path: `${path}/:id`,
    gives: 'dispute',
    params: z.strictObject({
      evidence: z.strictObject({ uncategorized_text: z.enum(verdicts) }).optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.DisputeUpdateParams>),
    run: (ctx, { evidence, metadata: given }, id) => {
      const dispute = Store.get(ctx.store, Dispute.disputes, id);
      if (dispute === undefined) return missing('dispute', id);
      const about = { metadata: mergeMetadata(dispute.metadata, given) };
      return evidence === undefined
        ? Dispute.update(ctx, dispute, about)
        : submit(ctx, { ...dispute, ...about }, evidence.uncategorized_text);
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:id/close`,
    gives: 'dispute',
    params: z.strictObject({}),
    run: (ctx, _params, id) => {
      const dispute = Store.get(ctx.store, Dispute.disputes, id);
      return dispute === undefined ? missing('dispute', id) : Dispute.close(ctx, dispute, 'lost');
    },
  }),
];
