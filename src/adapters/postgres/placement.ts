/**
 * The place of every table and SQL function when the accounts of a shop are divided over several PostgreSQL clusters ("cells"), by the slot of
 * the account (docs/decisions/0053-ledger-cells.md). `test/postgres/placement.test.ts` compares it with the migrated database, and derives the
 * place of each function from the tables that it reads and writes.
 */

/**
 * - `account`: rows belong to one account, and are in the cell of its slot. `by` is the column that names the account, or the table and column
 *   that lead to it.
 * - `shop`: rows are shared by all accounts, or must be unique over all of them. They are in cell 0.
 * - `cell`: rows are about a cell itself, or stay beside the row that caused them. Every cell has its own, and readers merge them.
 */
export type TablePlace =
  | { at: 'account'; by: string }
  | { at: 'shop'; because: string }
  | { at: 'cell'; because: string };

const byAccount: TablePlace = { at: 'account', by: 'account_id' };
const shop = (because: string): TablePlace => ({ at: 'shop', because });
const cell = (because: string): TablePlace => ({ at: 'cell', because });
const via = (by: string): TablePlace => ({ at: 'account', by });

export const tables: Readonly<Record<string, TablePlace>> = {
  'shop.account': via('id'),
  'shop.key': byAccount,
  'shop.billing_details': byAccount,
  'shop.resource': byAccount,
  'shop.oauth_grant': byAccount,
  'shop.oauth_code': via('shop.oauth_grant.sid'),
  'shop.oauth_refresh_token': via('shop.oauth_grant.sid'),
  'shop.revocation': byAccount,
  'shop.purchase': byAccount,
  'shop.payment_record': via('shop.purchase.order_id'),
  'shop.replacement': via('shop.purchase.purchase_id'),
  'shop.reversal': via('shop.purchase.purchase_id'),
  'shop.refund_request': via('shop.purchase.purchase_id'),
  'shop.fee': via('shop.purchase.payment'),
  'shop.fee_reading': via('shop.purchase.payment'),
  'shop.fraud_signal': via('shop.purchase.payment'),
  'shop.charge': via('shop.purchase.payment'),
  'shop.subscription': byAccount,
  'shop.plan_change': via('shop.subscription.subscription_id'),
  'shop.top_up': byAccount,
  'shop.top_up_consent': byAccount,
  'shop.card_setup': byAccount,
  'shop.account_mail': byAccount,
  'ledger.lot': byAccount,
  'ledger.posting': byAccount,
  'ledger.lease': byAccount,
  'ledger.usage': byAccount,
  'ledger.job': byAccount,
  'ledger.idempotency_key': byAccount,
  'ledger.idempotency_key_day': byAccount,
  'ledger.stored_response': byAccount,
  'ledger.account_last_hour': byAccount,
  'ledger.closing': byAccount,
  'ledger.closed_usage': byAccount,

  'shop.wallet': shop('the wallet leads to its accounts, which may be in several cells'),
  'shop.claim': shop('codes are limited by mailbox and by day over all accounts'),
  'shop.sign_in': shop('a person signs in by an address before the account is known'),
  'shop.proof': shop('a signed message is accepted once'),
  'shop.used_work': shop('a proof of work is accepted once'),
  'shop.block_use': shop('uses are limited by address block over all accounts'),
  'shop.trial_proof': shop('a person has one trial'),
  'shop.card_attempt': shop('attempts are limited by card and by address over all accounts'),
  'shop.decline': shop('wrong promotion codes are limited by address over all accounts'),
  'shop.promotion': shop('redemptions are counted over all accounts'),
  'shop.processor_event': shop('an event is processed once, and may name no account'),
  'shop.oauth_client': shop('a client serves all accounts'),
  'shop.operator': shop('an operator sees all accounts'),
  'shop.operator_invitation': shop('an operator sees all accounts'),
  'shop.operator_passkey': shop('an operator sees all accounts'),
  'shop.operator_session': shop('an operator sees all accounts'),
  'shop.signing_key': shop('every process signs with the same keys'),
  'shop.secret': shop('every process uses the same secrets'),
  'shop.catalog': shop('one catalogue is in force'),
  'shop.catalog_publication': shop('one catalogue is in force'),
  'shop.uncountable_response': shop('it is counted by operation, not by account'),

  'shop.function_set': cell('the schema of this database'),
  'shop.audit': cell('an entry commits with the action that it records'),
  'shop.mail': cell('a message commits with its cause'),
  'ledger.writer': cell('a process has one writer in each cell'),
  'ledger.batch': cell('a batch never spans cells'),
  'ledger.batch_result': cell('a batch never spans cells'),
  'ledger.notice': cell('notifications are those of one database'),
  'ledger.usage_hour': cell('sums of the usage in this cell'),
  'ledger.closed_day': cell('the usage of a day is archived in each cell'),
  'ledger.trial_limit': cell('a paid call never reads another cell, so each has its share of the limit'),
};

/**
 * The reason why a unique index on a table at `account` is unique over all cells.
 * - `account`: it contains the account, or the id of a row that only one cell has.
 * - `slot`: the id carries the slot of its account, so that no two cells accept the same one. (Orders of invoices have the processor's id.)
 * - `processor`: the card processor gave the id to one order or account, whose cell has all of its rows.
 * - `shop`: nothing above holds. The value has to be claimed in cell 0 before it is written.
 */
export type Uniqueness = 'account' | 'slot' | 'processor' | 'shop';

export const uniqueIndexes: Readonly<Record<string, Uniqueness>> = {
  'shop.account_pkey': 'slot',
  'shop.account_email': 'shop',
  'shop.key_pkey': 'slot',
  'shop.key_digest': 'slot',
  'shop.billing_details_pkey': 'account',
  'shop.resource_pkey': 'shop',
  'shop.oauth_grant_pkey': 'slot',
  'shop.oauth_code_pkey': 'slot',
  'shop.oauth_refresh_token_pkey': 'slot',
  'shop.revocation_pkey': 'slot',
  'shop.purchase_pkey': 'slot',
  'shop.purchase_challenge_id': 'shop',
  'shop.purchase_checkout_session': 'processor',
  'shop.purchase_payment': 'processor',
  'shop.payment_record_pkey': 'account',
  'shop.replacement_pkey': 'account',
  'shop.replacement_purchase_id': 'account',
  'shop.reversal_pkey': 'processor',
  'shop.refund_request_pkey': 'account',
  'shop.fee_pkey': 'processor',
  'shop.fee_reading_pkey': 'processor',
  'shop.fraud_signal_pkey': 'processor',
  'shop.charge_pkey': 'processor',
  'shop.subscription_pkey': 'processor',
  'shop.subscription_processor_id': 'processor',
  'shop.subscription_manage_key': 'shop',
  'shop.plan_change_pkey': 'slot',
  'shop.plan_change_open': 'account',
  'shop.top_up_pkey': 'account',
  'shop.top_up_consent_pkey': 'account',
  'shop.top_up_consent_checkout_session': 'processor',
  'shop.card_setup_pkey': 'processor',
  'shop.account_mail_pkey': 'account',
  'ledger.lot_pkey': 'account',
  'ledger.posting_pkey': 'shop',
  'ledger.lease_pkey': 'account',
  'ledger.usage_pkey': 'slot',
  'ledger.job_pkey': 'slot',
  'ledger.job_end_call_id_key': 'slot',
  'ledger.job_open': 'shop',
  'ledger.idempotency_key_pkey': 'account',
  'ledger.idempotency_key_day_pkey': 'account',
  'ledger.stored_response_pkey': 'slot',
  'ledger.account_last_hour_pkey': 'account',
  'ledger.closing_pkey': 'account',
};

/**
 * The functions by the places of the tables that they read and write, also through functions and views that they use: `account` (perhaps with
 * those of the cell), `shop`, `cell`, and `pure` for none.
 */
export const functions: Readonly<Record<'account' | 'shop' | 'cell' | 'pure', readonly string[]>> = {
  account: names(`
    ledger.account_usage ledger.account_usage_by ledger.account_values ledger.acquire_idempotency_key ledger.batch ledger.callers_since
    ledger.checkpoint ledger.clawback ledger.close_day ledger.close_writer ledger.closed_account_usage ledger.closing_digest
    ledger.collect_clawbacks ledger.credit_undelivered ledger.day_by_account ledger.day_by_lot ledger.drawable_lots ledger.end_job
    ledger.end_lot ledger.expire ledger.expire_lot ledger.grant_lot ledger.held_total ledger.holdings ledger.index_usage
    ledger.is_paid_in_money ledger.lot_chain ledger.move_idempotency_keys ledger.move_lots ledger.net_hours ledger.next_day_to_close
    ledger.open_reason ledger.open_writer ledger.order_values ledger.prove_charge ledger.prune_idempotency_keys ledger.reap
    ledger.reap_silent ledger.release_idempotency_keys ledger.return_trial ledger.reverse ledger.source_of ledger.statement
    ledger.store_response ledger.sum_usage ledger.take_trial ledger.totals ledger.unspent ledger.usage_between ledger.usage_by_model
    ledger.usage_digest ledger.usage_lines ledger.verify_calls ledger.verify_closings ledger.verify_terms ledger.verify_value
    shop.accept_consent shop.accounts_of shop.add_account_mail shop.add_low_balance_mails shop.allowance_ends shop.apply_reversals
    shop.apply_subscription shop.assign_page shop.attach_page shop.begin_period shop.begin_plan_change shop.begin_reversal_sync
    shop.begin_subscription_sync shop.begin_top_up shop.bind_resource shop.claim_by_page shop.claim_purchase shop.counted_subjects
    shop.decline_page shop.decline_refund_request shop.due_top_ups shop.enable_top_ups shop.end_consent shop.end_duplicate_grants
    shop.end_key shop.end_plan_change shop.end_top_ups shop.erasure_obstacle shop.freeze shop.grant_credit shop.grant_invoice
    shop.issue_tokens shop.joined_account shop.lock_chain shop.make_key shop.mark_low_top_ups shop.may_top_up shop.move_top_ups
    shop.offer_consent shop.recall_changed_plan shop.recall_replaced shop.record_charge shop.record_fees shop.record_payment
    shop.record_sent_by_hand shop.release_purchase shop.replace_period shop.resolve_account shop.resume_purchase shop.retire_page
    shop.reversal_chain shop.reversal_loss shop.reversal_losses shop.reversed_amount shop.reversed_own shop.set_top_ups shop.stop_top_ups
    shop.sweep_top_ups shop.top_up_balance shop.topped_up_this_month shop.undo_claim shop.unspent_value shop.update_allowance_ends`),
  shop: names(`
    shop.add_operator_passkey shop.admit_registration shop.bind_operator_subject shop.block_wait shop.consume_proof shop.end_promotion
    shop.has_owner shop.invite_operator shop.is_last_owner shop.make_promotion shop.move_wallets shop.provision_operator
    shop.remove_operator shop.remove_operator_passkey shop.rotate_secret shop.set_operator_role shop.start_operator_session
    shop.use_blocks`),
  cell: names(`
    ledger.announce ledger.announce_terms ledger.limit_trial ledger.prune ledger.send_notices ledger.uncheckpointed
    ledger.usage_summed_until shop.claimant shop.finish_mail shop.is_being_charged shop.lease_mail`),
  pure: names(`
    ledger.await_standby ledger.held_max ledger.next_trial_hour ledger.prepare_usage ledger.time_of ledger.usage_rows ledger.uuid_at
    shop.included_asset shop.lock_subjects shop.mark_changed_top_up shop.no_card shop.period_end shop.refuse_change shop.remaining_worth
    shop.units_for`),
};

/**
 * Functions that read or write tables of both places in one statement, and the way in which each is divided when the account is not in cell 0.
 * A step in cell 0 comes first and records the account that it is for, so that repeating both steps has the same result.
 */
export const crossing: Readonly<Record<string, string>> = {
  'ledger.verify':
    'each cell verifies its own postings; redemptions are compared with the postings of all cells',
  'ledger.verify_lots': 'as ledger.verify',
  'ledger.verify_sums': 'as ledger.verify',
  'shop.begin_card_attempt':
    "cell 0, after the account's cell has answered if the account counts (shop.counted_subjects)",
  'shop.begin_card_page': "the limit in cell 0, then the address of the page in the order's cell",
  'shop.begin_claim':
    "cell 0 limits and stores the code; the account's cell answers if the account has a person",
  'shop.begin_sign_in': 'cell 0, by its directory of addresses',
  'shop.card_delay': 'as shop.begin_card_attempt',
  'shop.complete_claim':
    "cell 0 accepts the code and claims the address for the account; the grants follow in the account's cell",
  'shop.complete_sign_in': 'cell 0, by its directory of addresses',
  'shop.decline_card_attempt': 'as shop.begin_card_attempt',
  'shop.decline_purchase':
    "the decline in the account's cell, then the attempt in cell 0; maintenance repeats the second step",
  'shop.erase_account':
    "the account's cell, then the rows of its address and wallets in cell 0; repeating it erases the rest",
  'shop.give_card_trials': 'as shop.give_trial, for each charge',
  'shop.give_trial': "cell 0 claims the fact for the account; the account's cell grants the trial",
  'shop.grant_app': 'rights of a role, in each cell',
  'shop.grant_purchase':
    "the grant in the order's cell, then the wallet of its payer in cell 0; maintenance repeats the second step",
  'shop.join_accounts': 'within a cell as today; between cells by postings in transit',
  'shop.redeem':
    "cell 0 counts the redemption for the account; the account's cell grants it; maintenance repeats the second step",
  'shop.register': "cell 0 claims the address of the trial for the account; the account's cell opens it",
  'shop.sign_in':
    "cell 0 accepts the message and claims the wallet for the account; the account's cell opens it",
};

function names(list: string): string[] {
  return list.trim().split(/\s+/);
}
