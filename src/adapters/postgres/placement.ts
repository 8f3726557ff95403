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
  'shop.member': byAccount,
  'shop.member_session': via('shop.member.member_id'),
  'shop.invitation': byAccount,
  'shop.account_event': byAccount,
  'shop.event': byAccount,
  'shop.event_delivery': byAccount,
  'shop.event_lane': byAccount,
  'shop.credit_level': byAccount,
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
  'shop.event_endpoint': cell(
    'each cell delivers its own events; a change of an endpoint is made in all cells',
  ),
  'shop.event_head': cell('events are numbered in each cell; they are in order for each account'),
  'shop.credit_check': cell('it follows the batches of a writer'),
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
 * - `random`: enough random bits. The row is searched in all cells, because the value does not lead to one.
 * - `cell`: a number that is counted in each cell, and names a row only within it.
 * - `shop`: nothing above holds. The value has to be claimed in cell 0 before it is written.
 */
export type Uniqueness = 'account' | 'slot' | 'processor' | 'random' | 'cell' | 'shop';

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
  'shop.subscription_manage_key': 'random',
  'shop.plan_change_pkey': 'slot',
  'shop.plan_change_open': 'account',
  'shop.top_up_pkey': 'account',
  'shop.top_up_consent_pkey': 'account',
  'shop.top_up_consent_checkout_session': 'processor',
  'shop.card_setup_pkey': 'processor',
  'shop.account_mail_pkey': 'account',
  'shop.member_pkey': 'random',
  'shop.member_person': 'account',
  'shop.member_session_pkey': 'slot',
  'shop.invitation_pkey': 'random',
  'shop.invitation_digest': 'random',
  'shop.invitation_open': 'account',
  'shop.account_event_pkey': 'cell',
  'shop.event_pkey': 'cell',
  'shop.event_id': 'random',
  'shop.event_key': 'account',
  'shop.event_position': 'cell',
  'shop.event_delivery_pkey': 'cell',
  'shop.event_delivery_waiting': 'account',
  'shop.event_lane_pkey': 'account',
  'shop.credit_level_pkey': 'account',
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
 * Functions that read or write tables of both places in one statement, and the way in which each is divided when the account is not in cell 0.
 * A step in cell 0 comes first and records the account that it is for, so that repeating both steps has the same result. Every other function
 * has the place of the tables that it uses, also through others.
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
  'shop.end_account_tokens': "the account's cell, then its wallets in cell 0; repeating it ends the rest",
  'shop.end_own_tokens': 'as shop.end_account_tokens',
  'shop.erase_account':
    "the account's cell, then the rows of its address and wallets in cell 0; repeating it erases the rest",
  'shop.forget_person': 'as shop.erase_account',
  'shop.give_card_trials': 'as shop.give_trial, for each charge',
  'shop.give_trial': "cell 0 claims the fact for the account; the account's cell grants the trial",
  'shop.grant_app': 'rights of a role, in each cell',
  'shop.grant_purchase':
    "the grant in the order's cell, then the wallet of its payer in cell 0; maintenance repeats the second step",
  'shop.invite': "cell 0 limits the mails; the account's cell stores the invitation",
  'shop.join_accounts': 'within a cell as today; between cells by postings in transit',
  'shop.redeem':
    "cell 0 counts the redemption for the account; the account's cell grants it; maintenance repeats the second step",
  'shop.register': "cell 0 claims the address of the trial for the account; the account's cell opens it",
  'shop.remove_member': 'as shop.end_account_tokens',
  'shop.sign_in':
    "cell 0 accepts the message and claims the wallet for the account; the account's cell opens it",
};
