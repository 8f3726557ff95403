import { signInAct } from '../../identity/audit.ts';
import type {
  ChangeResult,
  ListedOperator,
  Operator,
  Operators,
  Passkey,
  PasskeyRemoval,
} from '../../identity/operators/operator.ts';
import { passkeysMax } from '../../identity/operators/operator.ts';
import type { Connection } from './connection.ts';
import type * as Table from './schema/operators.ts';
import type { Row } from './schema/row.ts';

type OperatorRow = Row<typeof Table.operator>;
type PasskeyRow = Row<typeof Table.operatorPasskey>;

const listedMax = 500;
const uniqueViolation = '23505';

/**
 * Stores the persons with access to the console (migrations/functions/operators.sql).
 * @param hasOidc the shop accepts OpenID Connect, so that a person who is bound to it can sign in
 */
export function openOperators(sql: Connection, hasOidc: boolean): Operators {
  return { ...persons(sql, hasOidc), ...passkeys(sql, hasOidc), ...oidc(sql), ...sessions(sql) };
}

function persons(
  sql: Connection,
  hasOidc: boolean,
): Pick<
  Operators,
  'list' | 'find' | 'hasOwner' | 'invite' | 'invited' | 'endedInvitation' | 'changeRole' | 'remove'
> {
  return {
    async list() {
      type Listed = OperatorRow & { passkeys: number; seen_at: Date | null; invited_until: Date | null };
      const rows = await sql<Listed[]>`SELECT o.*,
          (SELECT count(*) FROM shop.operator_passkey p WHERE p.operator_id = o.id) AS passkeys,
          greatest((SELECT max(s.used_at) FROM shop.operator_session s WHERE s.operator_id = o.id),
            (SELECT max(p.used_at) FROM shop.operator_passkey p WHERE p.operator_id = o.id),
            (SELECT max(a.at) FROM shop.audit a
              WHERE a.subject = o.email AND a.act = ${signInAct} AND a.at >= o.created_at)) AS seen_at,
          (SELECT max(i.expires_at) FROM shop.operator_invitation i
            WHERE i.operator_id = o.id AND i.used_at IS NULL AND i.expires_at > clock_timestamp()) AS invited_until
        FROM shop.operator o ORDER BY o.created_at, o.id LIMIT ${listedMax}`;
      return rows.map(
        (row): ListedOperator => ({
          ...operator(row),
          createdMs: row.created_at.getTime(),
          passkeys: row.passkeys,
          hasOidc: row.oidc_subject !== null,
          seenMs: row.seen_at?.getTime() ?? null,
          invitedUntilMs: row.invited_until?.getTime() ?? null,
        }),
      );
    },
    find: (id) => find(sql, id),
    async hasOwner() {
      const [row] = await sql<[{ found: boolean }]>`SELECT shop.has_owner(NULL, true) AS found`;
      return row.found;
    },
    async invite({ id, email, name, role, digest, expiresMs }, who) {
      const [row] = await sql<[OperatorRow & { is_new: boolean }]>`SELECT * FROM shop.invite_operator(
        ${id}, ${email}, ${name}, ${role}, ${digest}, ${new Date(expiresMs)}, ${who})`;
      return { operator: operator(row), isNew: row.is_new };
    },
    async invited(digest) {
      const [row] = await sql<OperatorRow[]>`SELECT o.* FROM shop.operator_invitation i
        JOIN shop.operator o ON o.id = i.operator_id
        WHERE i.digest = ${digest} AND i.used_at IS NULL AND i.expires_at > clock_timestamp()`;
      return row ? operator(row) : null;
    },
    async endedInvitation(digest) {
      const [row] = await sql<[{ is_used: boolean }?]>`SELECT used_at IS NOT NULL AS is_used
        FROM shop.operator_invitation
        WHERE digest = ${digest} AND (used_at IS NOT NULL OR expires_at <= clock_timestamp())`;
      return row === undefined ? null : row.is_used ? 'used' : 'expired';
    },
    async changeRole(id, role, who) {
      const [row] = await sql<
        [{ state: ChangeResult }]
      >`SELECT shop.set_operator_role(${id}, ${role}, ${who}, ${hasOidc}) AS state`;
      return row.state;
    },
    async remove(id, who) {
      const [row] = await sql<
        [{ state: ChangeResult }]
      >`SELECT shop.remove_operator(${id}, ${who}, ${hasOidc}) AS state`;
      return row.state;
    },
  };
}

function passkeys(
  sql: Connection,
  hasOidc: boolean,
): Pick<
  Operators,
  'passkeys' | 'hasPasskeys' | 'findPasskey' | 'addPasskey' | 'removePasskey' | 'usePasskey' | 'acceptOnce'
> {
  return {
    async passkeys(of) {
      const rows = await sql<PasskeyRow[]>`SELECT * FROM shop.operator_passkey
        WHERE operator_id = ${of} ORDER BY created_at, id LIMIT ${passkeysMax}`;
      return rows.map(passkey);
    },
    async hasPasskeys() {
      const [row] = await sql<
        [{ found: boolean }]
      >`SELECT EXISTS (SELECT FROM shop.operator_passkey) AS found`;
      return row.found;
    },
    async findPasskey(id) {
      const [row] = await sql<PasskeyRow[]>`SELECT * FROM shop.operator_passkey WHERE id = ${id}`;
      return row ? passkey(row) : null;
    },
    async addPasskey(
      { id, operator: of, publicKey, counter, transports, name, isBackedUp },
      invitation,
      who,
    ) {
      try {
        const [row] = await sql<
          [{ added: boolean }]
        >`SELECT shop.add_operator_passkey(${id}, ${of}, ${publicKey},
          ${counter}, ${sql.array([...transports])}, ${name}, ${isBackedUp}, ${invitation}, ${passkeysMax}, ${who}) AS added`;
        return row.added;
      } catch (fault) {
        if ((fault as { code?: string }).code === uniqueViolation) return false;
        throw fault;
      }
    },
    async removePasskey(of, id, who) {
      const [row] = await sql<
        [{ state: PasskeyRemoval }]
      >`SELECT shop.remove_operator_passkey(${of}, ${id}, ${who}, ${hasOidc}) AS state`;
      return row.state;
    },
    async usePasskey(id, counter) {
      const rows =
        await sql`UPDATE shop.operator_passkey SET counter = ${counter}, used_at = clock_timestamp()
        WHERE id = ${id} AND (counter < ${counter} OR counter = 0 AND ${counter} = 0) RETURNING 1`;
      return rows.length === 1;
    },
    async acceptOnce(challengeDigest, expiresMs) {
      const rows = await sql`INSERT INTO shop.proof (key, expires_at)
        VALUES (${`passkey ${challengeDigest}`}, ${new Date(expiresMs)}) ON CONFLICT DO NOTHING RETURNING 1`;
      return rows.length === 1;
    },
  };
}

function oidc(sql: Connection): Pick<Operators, 'findByOidc' | 'provision'> {
  return {
    async findByOidc(subject, email, who) {
      const [row] = await sql<
        OperatorRow[]
      >`SELECT * FROM shop.bind_operator_subject(${subject}, ${email}, ${who})`;
      return row ? operator(row) : null;
    },
    async provision({ id, subject, email, name, role }, who) {
      const [row] = await sql<
        { state: 'done' | 'last_owner'; id: string }[]
      >`SELECT * FROM shop.provision_operator(
        ${id}, ${subject}, ${email}, ${name}, ${role}, ${who})`;
      if (row === undefined) return null;
      return row.state === 'last_owner' ? 'last_owner' : find(sql, row.id);
    },
  };
}

function sessions(
  sql: Connection,
): Pick<Operators, 'startSession' | 'session' | 'sessions' | 'endSession' | 'endSessions'> {
  return {
    async startSession({ digest, operator: of, address, expiresMs, device }, replaces, who) {
      await sql`SELECT shop.start_operator_session(${digest}, ${of}, ${address}, ${new Date(expiresMs)}, ${replaces}, ${who}, ${device})`;
    },
    async session(digest) {
      const [row] = await sql<
        OperatorRow[]
      >`UPDATE shop.operator_session s SET used_at = clock_timestamp() FROM shop.operator o
        WHERE s.digest = ${digest} AND s.expires_at > clock_timestamp() AND o.id = s.operator_id RETURNING o.*`;
      return row ? operator(row) : null;
    },
    async sessions(of) {
      type SessionRow = Row<typeof Table.operatorSession>;
      const rows = await sql<SessionRow[]>`SELECT * FROM shop.operator_session
        WHERE operator_id = ${of} AND expires_at > clock_timestamp() ORDER BY used_at DESC LIMIT ${listedMax}`;
      return rows.map((row) => ({
        digest: row.digest,
        address: row.address,
        device: row.device,
        createdMs: row.created_at.getTime(),
        usedMs: row.used_at.getTime(),
        expiresMs: row.expires_at.getTime(),
      }));
    },
    async endSession(digest, of) {
      await sql`DELETE FROM shop.operator_session
        WHERE digest = ${digest} AND (${of}::text IS NULL OR operator_id = ${of})`;
    },
    async endSessions(of, except) {
      const rows = await sql`DELETE FROM shop.operator_session
        WHERE operator_id = ${of} AND digest IS DISTINCT FROM ${except} RETURNING 1`;
      return rows.length;
    },
  };
}

async function find(sql: Connection, id: string): Promise<Operator | null> {
  const [row] = await sql<OperatorRow[]>`SELECT * FROM shop.operator WHERE id = ${id}`;
  return row ? operator(row) : null;
}

function operator({ id, email, name, role }: OperatorRow): Operator {
  return { id, email, name, role };
}

function passkey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    operator: row.operator_id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: row.transports,
    name: row.name,
    isBackedUp: row.is_backed_up,
    createdMs: row.created_at.getTime(),
    usedMs: row.used_at?.getTime() ?? null,
  };
}
