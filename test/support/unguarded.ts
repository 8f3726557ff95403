import type postgres from 'postgres';

/**
 * Runs `work` on one connection, in a transaction in which no trigger fires. Tests use it for changes that only a superuser could make to
 * append-only tables. The connection must be the superuser's.
 */
export async function unguarded(
  sql: postgres.Sql,
  work: (sql: postgres.Sql) => Promise<unknown>,
): Promise<void> {
  const connection = await sql.reserve();
  try {
    await connection`BEGIN`;
    await connection`SET LOCAL session_replication_role = replica`;
    await work(connection);
    await connection`COMMIT`;
  } catch (error) {
    await connection`ROLLBACK`;
    throw error;
  } finally {
    connection.release();
  }
}
