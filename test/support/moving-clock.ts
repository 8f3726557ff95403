import type postgres from 'postgres';

/**
 * Prepares a database whose time a test can move: in every session `clock_timestamp()` and `now()` resolve to functions that run ahead of the
 * real ones. Call it before the first migration, so that column defaults use them too.
 */
export async function prepare(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    CREATE SCHEMA moving_clock;
    CREATE TABLE moving_clock.lead (ms double precision NOT NULL);
    INSERT INTO moving_clock.lead VALUES (0);
    CREATE FUNCTION moving_clock.lead() RETURNS interval LANGUAGE sql STABLE AS
      $$ SELECT make_interval(secs => ms / 1000) FROM moving_clock.lead $$;
    CREATE FUNCTION moving_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      $$ SELECT pg_catalog.clock_timestamp() + moving_clock.lead() $$;
    CREATE FUNCTION moving_clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS
      $$ SELECT pg_catalog.now() + moving_clock.lead() $$;
    DO $do$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET search_path = moving_clock, pg_catalog, public', current_database());
    END $do$`);
}

/** Makes functions with their own search path use the same time. Call it after the migrations. */
export async function adopt(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`DO $do$ DECLARE f regprocedure; BEGIN
    FOR f IN SELECT oid FROM pg_proc WHERE 'search_path=pg_catalog' = ANY (proconfig) LOOP
      EXECUTE format('ALTER FUNCTION %s SET search_path = moving_clock, pg_catalog', f);
    END LOOP;
  END $do$`);
}

/** Moves the time forward, in one statement. Heartbeats move with it, so that no process looks silent. */
export async function advance(sql: postgres.Sql, ms: number): Promise<void> {
  await sql`WITH moved AS (UPDATE moving_clock.lead SET ms = ms + ${ms})
    UPDATE ledger.writer SET heartbeat_at = heartbeat_at + make_interval(secs => ${ms / 1_000}) WHERE open`;
}
