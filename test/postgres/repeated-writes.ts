import * as Accounts from '../../src/adapters/postgres/accounts.ts';
import * as BillingDetails from '../../src/adapters/postgres/billing-details.ts';
import type { Connection } from '../../src/adapters/postgres/connection.ts';
import * as Jobs from '../../src/adapters/postgres/jobs.ts';
import * as OAuthGrants from '../../src/adapters/postgres/oauth-grants.ts';
import * as Orders from '../../src/adapters/postgres/orders.ts';
import * as Outbox from '../../src/adapters/postgres/outbox.ts';
import * as RefundRequests from '../../src/adapters/postgres/refund-requests.ts';
import * as Revocations from '../../src/adapters/postgres/revocations.ts';

/** A flaw of an SQL function that lets the repetition of a write succeed before the standby has the first one. */
export type Flaw = { name: string; from: string; to: string };

export type RepeatedWrite = {
  /** The function or statement, as the adapters name it. */
  item: string;
  /** Performs the write. It is called twice with the same values. */
  write(sql: Connection): PromiseLike<unknown>;
  flaw?: Flaw;
};

const later = new Date(Date.now() + 86_400_000);
const company = { name: 'Dupont SARL', address: '', country: 'FR', taxId: '' };
const call = '019d0000-0000-7000-8000-000000000001';
const jobCall = '019d0000-0000-7000-8000-000000000002';
const lostCall = '019d0000-0000-7000-8000-000000000003';
const bytes = Buffer.from('00'.repeat(32), 'hex');
const awaits = (name: string): Flaw => ({ name, from: 'PERFORM ledger.await_standby();', to: '' });

/** Rows that the writes refer to, inserted before the standby is paused. */
export const foundation = `
INSERT INTO shop.account (id, origin) SELECT 'acc_' || n, 'anonymous' FROM unnest(ARRAY['1','claim','frozen','erased','codes','gift','jobs']) n;
INSERT INTO shop.account (id, origin, email, claimed_at) VALUES ('acc_mail', 'anonymous', 'ada@shop.example', now());
INSERT INTO shop.member (id, account_id, email, role) VALUES ('mem_1', 'acc_mail', 'ada@shop.example', 'owner');
INSERT INTO shop.invitation (id, account_id, email, role, digest, invited_by, expires_at) SELECT 'inv_' || n, 'acc_mail', e, 'viewer', d, 'mem_1', now() + interval '1 day'
  FROM (VALUES (1, 'bob@shop.example', 'invited'), (2, 'cid@shop.example', 'declined'), (3, 'dan@shop.example', 'withdrawn')) v (n, e, d);
INSERT INTO shop.operator (id, email, name, role) VALUES ('op_1', 'op@shop.example', 'Op', 'owner');
INSERT INTO shop.event_endpoint (id, url, secret) VALUES ('ep_1', 'https://seller.example/', 'whsec_1');
INSERT INTO shop.claim (id, account_id, email, mailbox, code_digest, expires_at) VALUES ('clm_1', 'acc_claim', 'bob@shop.example', 'bob@shop.example', 'code', now() + interval '1 day');
INSERT INTO shop.key (id, account_id, digest, hint, name) VALUES ('key_1', 'acc_1', 'digest', 'hint', 'name');
INSERT INTO shop.promotion (code, plan_id, asset, amount) VALUES ('WELCOME', 'credit', 'usd', 1000000);
INSERT INTO shop.purchase (id, plan_id, amount, expires_at, account_id, challenge_id) SELECT 'pur_' || n, 'credit', 5000000, now() + interval '1 day', 'acc_1', 'chl_' || n
  FROM unnest(ARRAY['claim','grant','release','page','reverse','hand','refund','decline','sync','asked','late']) n;
UPDATE shop.purchase SET rail = 'x402' WHERE id = 'pur_hand';
SELECT shop.grant_purchase('pur_' || n, 'pay_' || n, 'acc_none') FROM unnest(ARRAY['reverse','hand','refund','decline','sync','asked']) n;
INSERT INTO shop.refund_request (purchase_id, amount, reason) VALUES ('pur_decline', 1000000, 'r');
UPDATE shop.purchase SET checkout_session = 'cs_1' WHERE id IN ('pur_page');
INSERT INTO shop.purchase (id, plan_id, amount, units, terms, expires_at, account_id) VALUES ('pur_invoice', 'pro', 5000000, 100,
  '{"units": 100, "price": 5000000, "every": "month", "graceDays": 3, "rollover": false}', now() + interval '1 day', 'acc_1');
INSERT INTO shop.subscription (id, account_id, plan_id, status, period_start, period_end, anchor, processor_id)
  SELECT 'sub_' || n, 'acc_1', 'pro', 'active', now(), now() + interval '1 month', now(), 'sub_' || n FROM unnest(ARRAY['state','change']) n;
INSERT INTO shop.plan_change (id, subscription_id, plan_id) VALUES ('chg_1', 'sub_change', 'pro');
INSERT INTO shop.top_up_consent (id, account_id, plan_id, below, amount, monthly_max, expires_at) SELECT 'con_' || n, 'acc_' || m, 'credit', 1000000, 5000000, 10000000, now() + interval '1 day'
  FROM (VALUES ('accept', '1'), ('end', 'jobs')) v (n, m);
INSERT INTO shop.top_up_consent (id, account_id, plan_id, below, amount, monthly_max, expires_at, state, agreed_at, email, saved_card)
  VALUES ('con_set', 'acc_gift', 'credit', 1000000, 5000000, 10000000, now() + interval '1 day', 'agreed', now(), 'e@x.example', '{"customer":"c","method":"m","brand":"b","last4":"4242"}');
INSERT INTO shop.oauth_client (id, name, redirect_uris) VALUES ('cli_1', 'client', '{https://x.example}');
INSERT INTO shop.oauth_grant (sid, account_id, client_id, client_name) SELECT 'sid_' || n, 'acc_1', 'cli_1', 'client' FROM unnest(ARRAY['end','rotate']) n;
INSERT INTO shop.oauth_refresh_token (digest, sid, expires_at) VALUES ('token', 'sid_rotate', now() + interval '1 day');
SELECT ledger.prepare_usage(1), ledger.open_writer('W');
INSERT INTO ledger.closed_day (day, rows, calls, usage_digest, closing_digest, archive, archive_digest, archive_bytes, record, public_jwk)
  VALUES ('2000-01-01', 0, 0, '', '', '', '', 0, '', '{}');
SELECT ledger.grant_lot('seed', 'acc_jobs', 'grant', 'seller', 'grant', 'usd', 'credit', 1000000, NULL);
INSERT INTO ledger.usage (call_id, draw, status, account_id, lot_id, units, price, amount, plan_id, service, operation, writer_id, epoch, seq)
  SELECT c::uuid, 0, 200, 'acc_jobs', lot_id, 1, 10, 10, 'credit', 's', 'o', 'W', 1, 0
    FROM ledger.posting, unnest(ARRAY['${jobCall}', '${lostCall}']) c WHERE key = 'seed';
INSERT INTO ledger.job (call_id, account_id, operation, id, expires_at) VALUES ('${jobCall}', 'acc_jobs', 'o', 'job', now() + interval '1 day');
`;

const card = '{"customer":"c","method":"m","brand":"b","last4":"4242"}';
const offered = {
  id: 'pur_offer',
  account: 'acc_1',
  plan: 'credit',
  amount: 5_000_000,
  period: null,
  rail: 'card',
  returnUrl: null,
  expiresMs: later.getTime(),
} as never;
const key = { kid: 'k1', jwk: { kty: 'OKP' }, createdMs: 0 } as never;
const job = { callId: call, account: 'acc_1', operation: 'o', id: 'j2', hours: 1, prices: null };

/** Writes whose repetition reports success. Each must wait for the standby again. */
export const repeatedWrites: readonly RepeatedWrite[] = [
  {
    item: 'ledger.grant_lot',
    write: (sql) =>
      sql`SELECT ledger.grant_lot('purchase:x', 'acc_1', 'purchase', 'processor', 'credit', 'usd', 'credit', 1000000, NULL)`,
    flaw: awaits('ledger.grant_lot'),
  },
  {
    item: 'ledger.batch',
    write: (sql) =>
      sql`SELECT ledger.batch('W', 1, 1, 0, false, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
    flaw: {
      name: 'ledger.batch',
      from: 'WHERE id = p_writer FOR NO KEY UPDATE;',
      to: 'WHERE id = p_writer;',
    },
  },
  ...[
    "shop.add_event_endpoint('ep_2', 'https://seller.example/', NULL, 'whsec_2', 20, 'w')",
    "shop.rotate_event_secret('ep_1', 'whsec_new', '1 day', 'w')",
  ].map((call): RepeatedWrite => {
    const item = call.slice(0, call.indexOf('('));
    return { item, write: (sql) => sql.unsafe(`SELECT ${call}`), flaw: awaits(item) };
  }),
  ...[
    "shop.switch_event_endpoint('ep_1', false, 'w')",
    "shop.change_event_endpoint('ep_1', 'https://seller.example/new', NULL, 'w')",
  ].map((call): RepeatedWrite => {
    const item = call.slice(0, call.indexOf('('));
    const flaw = { name: item, from: 'WHERE id = p_id FOR UPDATE;', to: 'WHERE id = p_id;' };
    return { item, write: (sql) => sql.unsafe(`SELECT ${call}`), flaw };
  }),
  { item: 'ledger.open_writer', write: (sql) => sql`SELECT ledger.open_writer('V')` },
  {
    item: 'ledger.acquire_idempotency_key',
    write: (sql) =>
      sql`SELECT ledger.acquire_idempotency_key('acc_1', ${bytes}, ${bytes}, ${call}, 'W', 1, '1 day', 10, 1000)`,
  },
  {
    item: 'ledger.store_response',
    write: (sql) => sql`SELECT ledger.store_response('acc_jobs', ${jobCall}, '{}', ${bytes}, 1000)`,
  },
  {
    item: 'ledger.end_job',
    write: (sql) => sql`SELECT ledger.end_job(${jobCall}, ${call}, 0, 'released', NULL, NULL, NULL)`,
    flaw: {
      name: 'ledger.end_job',
      from: 'WHERE call_id = p_call FOR UPDATE;',
      to: 'WHERE call_id = p_call;',
    },
  },
  { item: 'INSERT ledger.job', write: (sql) => Jobs.openJobs(sql).open(job) },
  {
    item: 'ledger.credit_undelivered',
    write: (sql) => sql`SELECT ledger.credit_undelivered(ARRAY[${lostCall}]::uuid[])`,
  },
  {
    item: 'shop.set_operator_role',
    write: (sql) => sql`SELECT shop.set_operator_role('op_1', 'owner', 'w')`,
    flaw: awaits('shop.set_operator_role'),
  },
  // The functions of a team lock a row first, so that their repetition waits, too.
  {
    item: 'shop.set_member_role',
    write: (sql) =>
      sql`SELECT shop.set_member_role('acc_mail', 'mem_1', 'owner', 'mem_1', '{owner}', '{owner}')`,
  },
  {
    item: 'shop.accept_invitation',
    write: (sql) => sql`SELECT shop.accept_invitation('invited', NULL, 'bob@shop.example', 10)`,
  },
  {
    item: 'shop.forget_person',
    write: (sql) => sql`SELECT shop.forget_person('gone@shop.example')`,
    flaw: awaits('shop.forget_person'),
  },
  {
    item: 'shop.decline_invitation',
    write: (sql) => sql`SELECT shop.decline_invitation('declined', 'cid@shop.example')`,
  },
  {
    item: 'shop.withdraw_invitation',
    write: (sql) => sql`SELECT shop.withdraw_invitation('acc_mail', 'inv_3', 'mem_1', '{owner}', '{owner}')`,
  },
  {
    item: 'DELETE shop.billing_details',
    write: (sql) => BillingDetails.openBillingDetails(sql).set('acc_1', null),
  },
  // The other statement, `set`, writes a row each time.
  {
    item: 'INSERT shop.billing_details',
    write: (sql) => BillingDetails.addBillingDetails(sql, 'acc_1', company),
  },
  {
    item: 'ledger.close_day',
    write: (sql) => sql`SELECT ledger.close_day('2000-01-01', 0, '', '', '', '', 0, '', '', '{}')`,
    flaw: awaits('ledger.close_day'),
  },
  {
    item: 'shop.complete_claim',
    write: (sql) => sql`SELECT shop.complete_claim('acc_claim', 'code', 5, 'trial', 10)`,
    flaw: awaits('shop.complete_claim'),
  },
  {
    item: 'shop.begin_claim',
    write: (sql) =>
      sql`SELECT shop.begin_claim('clm_2', 'acc_mail', 'x@x.example', 'x@x.example', '{}', '{}', '{}', 'd', ${later}, 5, 5, 100)`,
  },
  {
    item: 'shop.grant_credit',
    write: (sql) => sql`SELECT shop.grant_credit('g1', 'acc_gift', 'credit', 'usd', 1000000, NULL, 'r', 'w')`,
  },
  { item: 'shop.redeem', write: (sql) => sql`SELECT shop.redeem('acc_codes', 'WELCOME', '{}', 5, '1 hour')` },
  {
    item: 'shop.freeze',
    write: (sql) => sql`SELECT shop.freeze('acc_frozen', true, 'r', 'w')`,
    flaw: { name: 'shop.freeze', from: 'WHERE a.id = account FOR UPDATE;', to: 'WHERE a.id = account;' },
  },
  {
    item: 'shop.erase_account',
    write: (sql) => sql`SELECT shop.erase_account('acc_erased', true, 'r', 'w')`,
  },
  { item: 'shop.end_key', write: (sql) => sql`SELECT shop.end_key('acc_1', 'key_1')` },
  {
    item: 'shop.bind_resource',
    write: (sql) => sql`SELECT shop.bind_resource('acc_1', 'todo', '1', NULL, 10)`,
  },
  {
    item: 'UPDATE shop.resource',
    write: (sql) => sql`UPDATE shop.resource SET expires_at = least(expires_at, now()) WHERE kind = 'todo'`,
  },
  {
    item: 'shop.claim_purchase',
    write: (sql) => sql`SELECT shop.claim_purchase('pur_claim', 'chl_claim', 'cred', 'W')`,
  },
  {
    item: 'shop.grant_purchase',
    write: (sql) => sql`SELECT shop.grant_purchase('pur_grant', 'pay_1', 'acc_none')`,
  },
  { item: 'shop.attach_page', write: (sql) => sql`SELECT shop.attach_page('pur_late', 'cs_2', 0)` },
  {
    item: 'shop.assign_page',
    write: (sql) => sql`SELECT shop.assign_page('pur_release', 'browser', NULL, NULL)`,
  },
  { item: 'shop.claim_by_page', write: (sql) => sql`SELECT shop.claim_by_page('pur_page', 'cs_1')` },
  { item: 'INSERT shop.purchase', write: (sql) => Orders.openOrders(sql, 'W').offer(offered) },
  { item: 'INSERT shop.processor_event', write: (sql) => Orders.openWebhookEvents(sql).record('evt_1', 't') },
  { item: 'UPDATE shop.processor_event', write: (sql) => Orders.openWebhookEvents(sql).done('evt_1') },
  { item: 'shop.begin_reversal_sync', write: (sql) => sql`SELECT shop.begin_reversal_sync('pur_sync')` },
  {
    item: 'shop.apply_reversals',
    write: (sql) => sql`SELECT shop.apply_reversals('pur_reverse', 1,
      '[{"id": "re_1", "kind": "refund", "amount": 1000000, "status": "succeeded", "is_effective": true}]')`,
  },
  {
    item: 'shop.record_sent_by_hand',
    write: (sql) => sql`SELECT shop.record_sent_by_hand('pur_hand', 1000000, 'k', 'ref', 'w')`,
  },
  {
    item: 'INSERT shop.refund_request',
    write: (sql) => RefundRequests.openRefundRequests(sql).ask('pur_asked', 1_000_000 as never, 'r'),
  },
  {
    item: 'shop.decline_refund_request',
    write: (sql) => sql`SELECT shop.decline_refund_request('pur_decline', 'no', 'w')`,
  },
  {
    item: 'shop.grant_invoice',
    write: (
      sql,
    ) => sql`SELECT shop.grant_invoice('pur_invoice', 'in_1', true, 'sub_invoice', 'pay_invoice', 5000000, 'pro', 100,
      '{"units": 100, "price": 5000000, "every": "month", "graceDays": 3, "rollover": false}', now(), now() + interval '1 month', 'acc_none')`,
  },
  {
    item: 'shop.begin_subscription_sync',
    write: (sql) => sql`SELECT shop.begin_subscription_sync('sub_state')`,
  },
  {
    item: 'shop.apply_subscription',
    write: (sql) =>
      sql`SELECT shop.apply_subscription('sub_state', 9, 'active', false, NULL, NULL, NULL, NULL)`,
    flaw: awaits('shop.apply_subscription'),
  },
  {
    item: 'shop.begin_plan_change',
    write: (sql) => sql`SELECT shop.begin_plan_change('sub_state', 'chg_2', 'pro', NULL)`,
  },
  {
    item: 'shop.end_plan_change',
    // The second time an invoice has confirmed the change, and nothing is written.
    write: (sql) => sql`SELECT shop.end_plan_change('chg_1', 'made')`,
    flaw: { name: 'shop.end_plan_change', from: 'SELECT ledger.await_standby();', to: 'SELECT;' },
  },
  {
    item: 'shop.offer_consent',
    write: (sql) =>
      sql`SELECT shop.offer_consent('con_new', 'acc_codes', 'credit', 1, 5000000, 10000000, ${later})`,
    flaw: awaits('shop.offer_consent'),
  },
  {
    item: 'shop.accept_consent',
    write: (sql) => sql`SELECT shop.accept_consent('con_accept', ${card}::text::jsonb, 'e@x.example')`,
    flaw: awaits('shop.accept_consent'),
  },
  {
    item: 'shop.end_consent',
    write: (sql) => sql`SELECT shop.end_consent('con_end')`,
    flaw: { name: 'shop.end_consent', from: 'SELECT ledger.await_standby();', to: 'SELECT;' },
  },
  {
    item: 'shop.set_top_ups',
    write: (sql) => sql`SELECT shop.set_top_ups('acc_gift', 'credit', 1000000, 5000000, 10000000)`,
  },
  {
    item: 'UPDATE shop.top_up',
    write: (sql) => sql`UPDATE shop.top_up SET state = 'off' WHERE account_id = 'acc_gift'`,
  },
  { item: 'shop.record_fees', write: (sql) => sql`SELECT shop.record_fees('pay_1', '[]', true)` },
  {
    item: 'INSERT shop.mail',
    write: (sql) =>
      Outbox.openOutbox(sql).enqueue({ to: 'a@x.example', subject: 's', text: 't' } as never, 'm1'),
  },
  { item: 'INSERT shop.signing_key', write: (sql) => Accounts.openSigningKeys(sql).add(key) },
  { item: 'DELETE shop.signing_key', write: (sql) => Accounts.openSigningKeys(sql).remove('k1') },
  { item: 'INSERT shop.secret', write: (sql) => Accounts.sharedSecret(sql, 's', 'v') },
  {
    item: 'UPDATE shop.oauth_refresh_token',
    write: (sql) =>
      OAuthGrants.openOauthGrants(sql).rotate('token', 'cli_1', {
        digest: `t${Math.random()}`,
        expiresMs: later.getTime(),
      }),
  },
  { item: 'DELETE shop.oauth_grant', write: (sql) => OAuthGrants.openOauthGrants(sql).end('sid_end') },
  { item: 'INSERT shop.revocation', write: revoke },
  {
    item: 'INSERT shop.catalog',
    write: (sql) =>
      sql`INSERT INTO shop.catalog (digest, text) VALUES ('d', 't') ON CONFLICT (digest) DO UPDATE SET taken_at = now()`,
  },
];

/** Reads that report what was granted or asked for. They wait for the standby too. */
export const confirmedReads: readonly RepeatedWrite[] = [
  { item: 'a granted order', write: (sql) => Orders.openOrders(sql, 'W').find('pur_sync') },
  { item: 'the order of a payment', write: (sql) => Orders.openOrders(sql, 'W').paidBy('pay_sync') },
  {
    item: 'the receipts of an account',
    write: (sql) => Orders.openOrders(sql, 'W').paidFor('acc_1', null, 10),
  },
  { item: 'a refund request', write: (sql) => RefundRequests.openRefundRequests(sql).find('pur_decline') },
  { item: 'signing keys', write: (sql) => Accounts.openSigningKeys(sql).all() },
];

async function revoke(sql: Connection): Promise<void> {
  const nothing = () => undefined;
  const subscriber = { revoked: nothing, joined: nothing, frozen: nothing, froze: nothing, sinceMs: () => 0 };
  const quiet = { listen: async () => undefined, expect: nothing };
  const revocations = await Revocations.openRevocations(sql, quiet as never, subscriber);
  await revocations.add({ id: 'tok_1', revokedMs: 0, account: 'acc_1' });
}

/** Other writes, and why their repetition needs no wait. */
export const otherWrites: Readonly<Record<string, string>> = {
  ...because('the repetition is refused, and a caller never takes a refusal for success', [
    'shop.register',
    'shop.make_key',
    'shop.make_promotion',
    'shop.end_promotion',
    'shop.complete_sign_in',
    'shop.consume_proof',
    'INSERT shop.proof',
    'shop.remove_event_endpoint',
    'shop.remove_operator',
    'shop.remove_member',
    'shop.transfer_account',
    'shop.add_operator_passkey',
    'shop.remove_operator_passkey',
    'DELETE shop.operator_session',
    'shop.sign_in',
    'shop.issue_tokens',
    'shop.rotate_secret',
    'shop.admit_registration',
    'shop.undo_claim',
    'shop.resume_purchase',
    'shop.decline_purchase',
    'ledger.close_writer',
    'INSERT shop.oauth_client',
    'INSERT shop.oauth_code',
    'INSERT shop.oauth_grant',
    'INSERT shop.oauth_refresh_token',
    'UPDATE shop.oauth_code',
  ]),
  ...because('every repetition writes a row', [
    'shop.replay_events',
    'shop.test_event_endpoint',
    'shop.hurry_event',
    'shop.begin_sign_in',
    'shop.invite',
    'shop.end_account_tokens',
    'shop.add_account_event',
    'UPDATE shop.member',
    'INSERT shop.audit',
    'UPDATE shop.audit',
    'INSERT shop.fraud_signal',
    'INSERT shop.uncountable_response',
    'INSERT shop.function_set',
    'UPDATE shop.oauth_grant',
    'UPDATE shop.top_up_consent',
    'UPDATE shop.purchase',
    'shop.begin_top_up',
    'INSERT shop.catalog_publication',
    'shop.invite_operator',
    'shop.bind_operator_subject',
    'shop.provision_operator',
    'shop.start_operator_session',
    'UPDATE shop.operator_passkey',
    'UPDATE shop.operator_session',
    'shop.record_charge',
  ]),
  ...because('no response depends on it: a job that is repeated until nothing is left to do', [
    'ledger.collect_clawbacks',
    'ledger.expire',
    'ledger.index_usage',
    'ledger.move_lots',
    'ledger.prepare_usage',
    'ledger.prune',
    'ledger.prune_idempotency_keys',
    'ledger.reap_silent',
    'ledger.sum_usage',
    'ledger.release_idempotency_keys',
    'shop.publish_events',
    'shop.take_event',
    'shop.finish_event',
    'UPDATE shop.event_endpoint',
    'shop.check_credit',
    'shop.sweep_credit',
    'shop.end_prepaid',
    'shop.keep_session',
    'shop.due_top_ups',
    'shop.sweep_top_ups',
    'shop.finish_mail',
    'shop.lease_mail',
    'shop.give_card_trials',
    'ledger.limit_trial',
    'DELETE shop.card_attempt',
    'INSERT shop.card_setup',
    'UPDATE ledger.job',
    'UPDATE shop.mail',
    'UPDATE shop.account_mail',
    'UPDATE shop.refund_request',
    'UPDATE shop.subscription',
    'DELETE shop.purchase',
  ]),
  ...because('a later statement of the same request writes', [
    'shop.retire_page',
    'shop.card_delay',
    'shop.begin_card_attempt',
    'shop.decline_card_attempt',
    'shop.begin_card_page',
    'shop.decline_page',
    'shop.release_purchase',
    'shop.recall_changed_plan',
    'shop.recall_replaced',
    'shop.resolve_account',
  ]),
  ...because('it is part of the migration or of the mechanism itself', [
    'DELETE shop.function_set',
    'shop.grant_app',
    'ledger.announce',
    'ledger.await_standby',
    'ledger.send_notices',
    'ledger.prove_charge',
  ]),
};

function because(reason: string, items: readonly string[]): Record<string, string> {
  return Object.fromEntries(items.map((item) => [item, reason]));
}
