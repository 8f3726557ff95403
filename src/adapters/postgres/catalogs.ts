import type { Catalogs, Publication, Publications } from '../../catalog/catalogs.ts';
import type { Connection } from './connection.ts';
import type { catalogPublication } from './schema/operators.ts';
import type { Row } from './schema/row.ts';

/** An arbitrary number that names the advisory lock of publishing. */
const lockKey = 7_385_002;

/** The catalogues in the database. */
export function openCatalogHistory(sql: Connection) {
  return { catalogs: openCatalogs(sql), publications: openPublications(sql) };
}

export function openCatalogs(sql: Connection): Catalogs {
  return {
    async took(digest, text) {
      await sql`INSERT INTO shop.catalog (digest, text) VALUES (${digest}, ${text})
        ON CONFLICT (digest) DO UPDATE SET taken_at = clock_timestamp()`;
    },
    async limitTrial(plan, perHour) {
      await sql`SELECT ledger.limit_trial(${plan}, ${perHour})`;
    },
    async last() {
      type Row = { digest: string; text: string; taken_at: Date };
      const [row] = await sql<
        Row[]
      >`SELECT digest, text, taken_at FROM shop.catalog ORDER BY taken_at DESC LIMIT 1`;
      return row ? { digest: row.digest, text: row.text, takenMs: row.taken_at.getTime() } : null;
    },
  };
}

/** Publications that may have replaced the text of a page that is still open. */
const textsSearchedMax = 50;

function openPublications(sql: Connection): Publications {
  return {
    async add({ who, digest, text, textBefore, note }) {
      await sql`INSERT INTO shop.catalog_publication (who, digest, text, text_before, note)
        VALUES (${who}, ${digest}, ${text}, ${textBefore}, ${note})`;
    },
    async list(max) {
      const rows = await sql<PublicationRow[]>`SELECT id, at, who, digest, note FROM shop.catalog_publication
        ORDER BY id DESC LIMIT ${max}`;
      return rows.map(({ id, at, who, digest, note }) => ({ id, atMs: at.getTime(), who, digest, note }));
    },
    async find(id) {
      const [row] = await sql<PublicationRow[]>`SELECT * FROM shop.catalog_publication WHERE id = ${id}`;
      return row ? publication(row) : null;
    },
    async last(digest) {
      const [row] = await sql<PublicationRow[]>`SELECT * FROM shop.catalog_publication
        WHERE ${digest}::text IS NULL OR digest = ${digest} ORDER BY id DESC LIMIT 1`;
      return row ? publication(row) : null;
    },
    async textOf(sha256) {
      const [row] = await sql<[{ text: string }?]>`
        SELECT one.text FROM (SELECT * FROM shop.catalog_publication ORDER BY id DESC LIMIT ${textsSearchedMax}) AS last,
          LATERAL (VALUES (last.text_before), (last.text)) AS one (text)
        WHERE encode(sha256(convert_to(one.text, 'UTF8')), 'hex') = ${sha256} LIMIT 1`;
      return row?.text ?? null;
    },
    async exclusively(work) {
      // The lock belongs to a connection, and ends with it when the process dies.
      const own = await sql.reserve();
      try {
        const [row] = await own<[{ locked: boolean }]>`SELECT pg_try_advisory_lock(${lockKey}) AS locked`;
        if (!row.locked) return null;
        try {
          return await work();
        } finally {
          await own`SELECT pg_advisory_unlock(${lockKey})`;
        }
      } finally {
        own.release();
      }
    },
  };
}

type PublicationRow = Row<typeof catalogPublication>;

function publication(row: PublicationRow): Publication {
  return {
    id: row.id,
    atMs: row.at.getTime(),
    who: row.who,
    digest: row.digest,
    text: row.text,
    textBefore: row.text_before,
    note: row.note,
  };
}
