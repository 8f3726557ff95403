import type { Erasure, PersonData } from '../../identity/person-data.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';

/** Reads and erases what is stored of the owner of an account (migrations/functions/erasure.sql). */
export function openPersonData(sql: Connection): PersonData {
  return {
    ...personsOf(sql),
    async read(account) {
      const of = sql`(SELECT shop.accounts_of(${account}))`;
      const [accounts, keys, wallets, applications, purchases, subscriptions] = await Promise.all([
        sql`SELECT id, created_at, origin, email, claimed_at, joined_to, joined_at, frozen_at FROM shop.account WHERE id IN ${of} ORDER BY created_at`,
        sql`SELECT id, name, hint, budget AS budget_micro_usd, services, expires_at, created_at, revoked_at FROM shop.key
          WHERE account_id IN ${of} ORDER BY created_at`,
        sql`SELECT address, created_at FROM shop.wallet WHERE account_id IN ${of} ORDER BY created_at`,
        sql`SELECT client_id, client_name, created_at, used_at FROM shop.oauth_grant WHERE account_id IN ${of} ORDER BY created_at`,
        sql`SELECT id, state, plan_id, amount AS amount_micro_usd, tax AS tax_micro_usd, units, rail, payment, payer, transaction,
          saved_card - 'customer' - 'method' AS card, return_url, created_at, granted_at FROM shop.purchase WHERE account_id IN ${of} ORDER BY created_at`,
        sql`SELECT id, plan_id, status, period_start, period_end, payer_email, created_at, ended_at FROM shop.subscription
          WHERE account_id IN ${of} ORDER BY created_at`,
      ]);
      const billing =
        await sql`SELECT name, address, country, tax_id, updated_at FROM shop.billing_details WHERE account_id IN ${of}`;
      const team = await teamOf(sql, account);
      const events =
        await sql`SELECT id, type, at, data FROM shop.event WHERE account_id IN ${of} ORDER BY seq`;
      const [refunds, requests, consents, resources, mails, usage, actions] = await Promise.all([
        sql`SELECT r.id, r.purchase_id, r.kind, r.amount AS amount_micro_usd, r.tax AS tax_micro_usd, r.status, r.reason, r.created_at
          FROM shop.reversal r JOIN shop.purchase o ON o.id = r.purchase_id WHERE o.account_id IN ${of} ORDER BY r.created_at`,
        sql`SELECT r.purchase_id, r.amount AS amount_micro_usd, r.reason, r.asked_at, r.declined_at, r.answer
          FROM shop.refund_request r JOIN shop.purchase o ON o.id = r.purchase_id WHERE o.account_id IN ${of} ORDER BY r.asked_at`,
        sql`SELECT id, plan_id, below AS below_micro_usd, amount AS amount_micro_usd, monthly_max AS monthly_max_micro_usd, state, email,
          saved_card - 'customer' - 'method' AS card, agreed_at, ended_at FROM shop.top_up_consent WHERE account_id IN ${of} ORDER BY created_at`,
        sql`SELECT kind, id, created_at, expires_at FROM shop.resource WHERE account_id IN ${of} ORDER BY created_at`,
        sql`SELECT subject, created_at FROM shop.mail WHERE state = 'waiting' AND recipient IN (SELECT email FROM shop.account WHERE id IN ${of})`,
        sql`SELECT to_char(ledger.time_of(call_id) AT TIME ZONE 'UTC', 'YYYY-MM') AS month, service, operation, count(DISTINCT call_id) AS calls,
          sum(units)::bigint AS units, sum(amount)::bigint AS cost_micro_usd FROM ledger.usage WHERE account_id IN ${of} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
        sql`SELECT at, act, after FROM shop.audit WHERE subject IN ${of} ORDER BY id`,
      ]);
      return {
        accounts: [...accounts],
        ...team,
        keys: [...keys],
        wallets: [...wallets],
        applications: [...applications],
        billing_details: [...billing],
        purchases: [...purchases],
        subscriptions: [...subscriptions],
        refunds_and_disputes: [...refunds],
        refund_requests: [...requests],
        top_up_consents: [...consents],
        resources: [...resources],
        waiting_mails: [...mails],
        events: [...events],
        usage_by_month: [...usage],
        actions_of_the_seller: [...actions],
      };
    },
    async atProcessor(account) {
      const of = sql`(SELECT shop.accounts_of(${account}))`;
      const cards = await sql<
        { customer: string }[]
      >`SELECT DISTINCT saved_card ->> 'customer' AS customer FROM (
        SELECT saved_card FROM shop.top_up WHERE account_id IN ${of} UNION ALL SELECT saved_card FROM shop.top_up_consent WHERE account_id IN ${of}
        UNION ALL SELECT saved_card FROM shop.purchase WHERE account_id IN ${of}) c WHERE saved_card ->> 'customer' LIKE 'cus!_%' ESCAPE '!'`;
      const periods = await sql<{ id: string }[]>`SELECT processor_id AS id FROM shop.subscription
        WHERE account_id IN ${of} AND processor_id IS NOT NULL`;
      return { customers: cards.map(({ customer }) => customer), subscriptions: periods.map(({ id }) => id) };
    },
    async obstacle(account, forfeits) {
      const [row] = await sql<
        [{ obstacle: Erasure['kind'] | null }]
      >`SELECT shop.erasure_obstacle(shop.joined_account(${account}), ${forfeits}) AS obstacle`;
      return row.obstacle;
    },
    async erase(account, { forfeits, reason }, who) {
      const [row] = await announced(
        sql,
        sql<
          [{ state: Erasure['kind']; account: string }]
        >`SELECT * FROM shop.erase_account(${account}, ${forfeits}, ${reason}, ${who})`,
      );
      return { kind: row.state, account: row.account };
    },
  };
}

/** Persons without an account of their own, in the accounts of others. */
function personsOf(sql: Connection): Pick<PersonData, 'ofPerson' | 'forgetPerson'> {
  return {
    async ofPerson(email) {
      const [memberships, invitations, activity] = await Promise.all([
        sql`SELECT account_id, role, joined_at, used_at FROM shop.member WHERE email = ${email} ORDER BY joined_at`,
        sql`SELECT account_id, role, state, sent_at, expires_at FROM shop.invitation WHERE email = ${email} ORDER BY created_at`,
        sql`SELECT at, account_id, act, subject, detail ->> 'device' AS browser FROM shop.account_event WHERE who = ${email} ORDER BY id`,
      ]);
      const found = memberships.length + invitations.length + activity.length > 0;
      return found
        ? { memberships: [...memberships], invitations: [...invitations], activity: [...activity] }
        : null;
    },
    async forgetPerson(email, who) {
      const [row] = await announced(
        sql,
        sql<
          [{ accounts: string[] | null }]
        >`WITH gone AS MATERIALIZED (SELECT shop.forget_person(${email}) AS accounts),
          noted AS (INSERT INTO shop.audit (who, act, subject, after)
            SELECT ${who}, 'person_erased', a, '{}'::jsonb FROM gone, unnest(gone.accounts) AS a)
          SELECT accounts FROM gone`,
      );
      return row.accounts;
    },
  };
}

/** Returns the persons of an account, its activity, and its open pages that save a card. */
async function teamOf(sql: Connection, account: string): Promise<Record<string, readonly unknown[]>> {
  const of = sql`(SELECT shop.accounts_of(${account}))`;
  const [persons, invitations, memberships, events, setups] = await Promise.all([
    sql`SELECT id, email, role, joined_at, used_at FROM shop.member WHERE account_id IN ${of} ORDER BY joined_at`,
    sql`SELECT email, role, state, sent_at, expires_at FROM shop.invitation WHERE account_id IN ${of} ORDER BY created_at`,
    // The persons of other accounts that the owner is in are not part of the copy.
    sql`SELECT account_id, role, joined_at, used_at FROM shop.member WHERE account_id NOT IN ${of}
      AND email IN (SELECT email FROM shop.account WHERE id IN ${of}) ORDER BY joined_at`,
    sql`SELECT at, who, act, subject, detail FROM shop.account_event WHERE account_id IN ${of} ORDER BY id`,
    sql`SELECT reference, address, at FROM shop.card_setup WHERE account_id IN ${of} ORDER BY at`,
  ]);
  return {
    persons: [...persons],
    invitations: [...invitations],
    memberships_in_other_accounts: [...memberships],
    activity: [...events],
    card_pages: [...setups],
  };
}
