import type { Catalogs } from '../../catalog/catalogs.ts';
import type { Connection } from './connection.ts';

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
