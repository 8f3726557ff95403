import type { Accounts, FreezeResult } from '../../identity/account.ts';
import type { SigningKeys } from '../../identity/signing-key.ts';
import type { TrialOffer, TrialState } from '../../identity/trial-proof.ts';
import type { StatementLot, Statements } from '../../ledger/statement.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import type { account } from './schema/accounts.ts';
import type { signingKey } from './schema/operations.ts';
import type { Row } from './schema/row.ts';
import * as Standby from './standby.ts';

const noTrial: TrialOffer = { plan: '', units: 0, asset: 'unit', oncePer: [], address: null };
const cardTrialsMax = 50;

export function openAccounts(sql: Connection): Accounts {
  return {
    async register(id, trial) {
      const { plan, units, asset, oncePer, address } = trial ?? noTrial;
      const [row] = await announced(
        sql,
        sql<
          [{ state: TrialState }]
        >`SELECT shop.register(${id}, ${plan}, ${units}, ${asset}, ${[...oncePer]}::text[], NULL, NULL, ${address}) AS state`,
      );
      return row.state;
    },
    async giveCardTrials({ plan, units, asset, oncePer }) {
      const [row] = await announced(
        sql,
        sql<
          [{ given: number }]
        >`SELECT shop.give_card_trials(${plan}, ${units}, ${asset}, ${[...oncePer]}::text[], ${cardTrialsMax}) AS given`,
      );
      return row.given;
    },
    async find(id) {
      const [row] = await sql<
        Pick<Row<typeof account>, 'created_at' | 'origin' | 'claimed_at' | 'email'>[]
      >`SELECT created_at, origin, claimed_at, shop.contact_of(id) AS email FROM shop.account WHERE id = ${id}`;
      if (!row) return null;
      const { created_at, origin, claimed_at, email } = row;
      return { id, createdMs: created_at.getTime(), origin, claimedMs: claimed_at?.getTime() ?? null, email };
    },
    async resolveAccount(id) {
      const found = sql<{ joined_to: string | null }[]>`SELECT joined_to FROM shop.account WHERE id = ${id}`;
      const [row] = await found;
      return row?.joined_to ?? id;
    },
    async isFrozen(id) {
      const found = sql`SELECT 1 FROM shop.account WHERE id = ${id} AND frozen_at IS NOT NULL`;
      return (await found).length > 0;
    },
    async freeze(id, isFrozen, reason, who) {
      type Result = { state: FreezeResult['kind']; account: string };
      const [row] = await announced(
        sql,
        sql<[Result]>`SELECT * FROM shop.freeze(${id}, ${isFrozen}, ${reason}, ${who})`,
      );
      return row.state === 'unknown_account'
        ? { kind: row.state }
        : { kind: row.state, account: row.account };
    },
  };
}

export function openStatements(sql: Connection): Statements {
  type StatementRow = {
    lot_id: number;
    asset: StatementLot['asset'];
    kind: StatementLot['kind'];
    plan_id: string;
    given: number;
    remaining: number;
    expires_at: Date | null;
    resets_at: Date | null;
    created_at: Date;
    source: string | null;
  };
  return {
    async of(id) {
      const rows = await sql<StatementRow[]>`SELECT * FROM ledger.statement(${id})`;
      return rows.map((row) => ({
        lot: row.lot_id,
        asset: row.asset,
        kind: row.kind,
        plan: row.plan_id,
        given: row.given,
        remaining: row.remaining,
        expiresMs: row.expires_at?.getTime() ?? null,
        resetsMs: row.resets_at?.getTime() ?? null,
        createdMs: row.created_at.getTime(),
        source: row.source,
      }));
    },
  };
}

export function openSigningKeys(sql: Connection): SigningKeys {
  return {
    async all() {
      const rows = await sql<
        Row<typeof signingKey>[]
      >`SELECT kid, private_jwk, created_at FROM shop.signing_key`;
      // A key that another process stored may not be on the standby yet, and what it signs must stay valid.
      await Standby.confirmed(sql);
      return rows.map((row) => ({ kid: row.kid, jwk: row.private_jwk, createdMs: row.created_at.getTime() }));
    },
    async add({ kid, jwk, createdMs }) {
      const rows =
        await sql`INSERT INTO shop.signing_key (kid, private_jwk, created_at) VALUES (${kid}, ${sql.json({ ...jwk })}, ${new Date(createdMs)})
        ON CONFLICT DO NOTHING RETURNING 1`;
      if (rows.length === 0) await Standby.confirmed(sql);
    },
    async remove(kid) {
      const rows = await sql`DELETE FROM shop.signing_key WHERE kid = ${kid} RETURNING 1`;
      if (rows.length === 0) await Standby.confirmed(sql);
    },
  };
}

/** Returns the two newest secrets of a name, the newest first. The newest may not be in use yet. */
export async function secretsOf(
  sql: Connection,
  name: string,
): Promise<{ value: string; createdMs: number }[]> {
  const rows = await sql<{ value: string; created_at: Date }[]>`SELECT value, created_at FROM shop.secret
    WHERE split_part(name, ' ', 1) = ${name} ORDER BY created_at DESC LIMIT 2`;
  return rows.map(({ value, created_at }) => ({ value, createdMs: created_at.getTime() }));
}

/** Adds a secret of a name. Returns false, and changes nothing, if the last one is younger than `restMs`. */
export async function rotateSecret(
  sql: Connection,
  name: string,
  fresh: string,
  restMs: number,
  who: string,
): Promise<boolean> {
  const [row] = await announced(
    sql,
    sql<
      [{ rotated: boolean }]
    >`SELECT shop.rotate_secret(${name}, ${fresh}, ${`${restMs} milliseconds`}::interval, ${who}) AS rotated`,
  );
  return row.rotated;
}

/** Returns a secret that all processes share. The first process to ask stores `fresh`. */
export async function sharedSecret(sql: Connection, name: string, fresh: string): Promise<string> {
  await sql`INSERT INTO shop.secret (name, value) VALUES (${name}, ${fresh}) ON CONFLICT DO NOTHING`;
  const [row] = await sql<{ value: string }[]>`SELECT value FROM shop.secret WHERE name = ${name}`;
  await Standby.confirmed(sql);
  if (!row) throw new Error(`the secret ${name} was not stored`);
  return row.value;
}
