import postgres from 'postgres';

/** A breach of the books: the rule, what breaks it, and how. */
export type Breach = { rule: string; subject: string; detail: string };

/** The sums of the whole house in one asset: `usd` in micro-dollars, `unit` in results. */
export type Total = {
  asset: 'usd' | 'unit';
  accounts: number;
  lots: number;
  paid_in: number;
  granted: number;
  spent: number;
  reversed: number;
  expired: number;
  balance: number;
  held: number;
  lost: number;
};

export type Proof = {
  counts: { lots: number; postings: number; calls: number; batches: number };
  totals: Total[];
  breaches: Breach[];
};

/**
 * Reads the whole of the books in one snapshot: what there is, what it adds up to, and every breach (`ledger.prove`).
 * A connection of its own, as it may take long; it changes nothing.
 */
export async function read(url: string): Promise<Proof> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 5 });
  try {
    const [row] = await sql<[{ proof: Proof }]>`SELECT json_build_object(
      'counts', json_build_object(
        'lots', (SELECT count(*) FROM ledger.bucket), 'postings', (SELECT count(*) FROM ledger.posting),
        'calls', (SELECT count(DISTINCT call_id) FROM ledger.usage), 'batches', (SELECT count(*) FROM ledger.batch)),
      'totals', (SELECT coalesce(json_agg(t ORDER BY t.asset), '[]') FROM ledger.totals() t),
      'breaches', (SELECT coalesce(json_agg(b), '[]') FROM ledger.prove() b)) AS proof`;
    return row.proof;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
