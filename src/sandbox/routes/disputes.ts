import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Dispute from '../objects/dispute.ts';
import * as List from '../protocol/list.ts';
import { type Known, mergeMetadata, metadata, text } from '../protocol/params.ts';
import { missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

/** The texts of evidence that decide a test dispute. */
const verdicts = { winning_evidence: 'won', losing_evidence: 'lost' } as const;

export const disputes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/disputes',
    gives: 'dispute',
    isList: true,
    params: z.strictObject({
      ...List.pageParams,
      created: List.created,
      charge: text().optional(),
      payment_intent: text().optional(),
    } satisfies Known<Stripe.DisputeListParams>),
    run: ({ store }, { created, charge, payment_intent, ...page }) => {
      const rows = Store.all(store, Dispute.disputes).filter(
        (dispute) =>
          List.isCreatedWithin(dispute.created, created) &&
          (charge === undefined || dispute.charge === charge) &&
          (payment_intent === undefined || dispute.payment_intent === payment_intent),
      );
      return List.page(rows, '/v1/disputes', page);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/disputes/:id',
    gives: 'dispute',
    params: z.strictObject({}),
    run: ({ store }, _params, id) => Store.get(store, Dispute.disputes, id) ?? missing('dispute', id),
  }),
  route({
    method: 'POST',
    path: '/v1/disputes/:id',
    gives: 'dispute',
    params: z.strictObject({
      evidence: z
        .strictObject({ uncategorized_text: z.enum(['winning_evidence', 'losing_evidence']) })
        .optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.DisputeUpdateParams>),
    run: (act, { evidence, metadata: given }, id) => {
      const dispute = Store.get(act.store, Dispute.disputes, id);
      if (dispute === undefined) return missing('dispute', id);
      const changed = Store.put(act.store, Dispute.disputes, {
        ...dispute,
        metadata: mergeMetadata(dispute.metadata, given),
      });
      return evidence ? Dispute.close(act, changed, verdicts[evidence.uncategorized_text]) : changed;
    },
  }),
  route({
    method: 'POST',
    path: '/v1/disputes/:id/close',
    gives: 'dispute',
    params: z.strictObject({}),
    run: (act, _params, id) => {
      const dispute = Store.get(act.store, Dispute.disputes, id);
      return dispute === undefined ? missing('dispute', id) : Dispute.close(act, dispute, 'lost');
    },
  }),
];
