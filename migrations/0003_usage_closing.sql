-- Closing days of usage (migrations/functions/ledger-closing.sql) takes the place of dropping them, which lost single calls without an archive.
DROP FUNCTION IF EXISTS ledger.drop_usage(date);
DROP TABLE ledger.dropped_usage, ledger.dropped_day;

-- Days of usage that were closed: archived in a file, summed up, and removed from `ledger.usage` (`ledger.close_day`), in order. `rows`, `calls`
-- and the digests are of the removed rows; `record` is a signed document over them and over the digest of the record before it.
CREATE TABLE ledger.closed_day (
  day date PRIMARY KEY,
  rows bigint NOT NULL CHECK (rows >= 0),
  calls bigint NOT NULL CHECK (calls >= 0),
  usage_digest bytea NOT NULL,
  closing_digest bytea NOT NULL,
  archive text NOT NULL,
  archive_digest bytea NOT NULL,
  archive_bytes bigint NOT NULL,
  record text NOT NULL,
  -- The public key of the signature: the shop may have dropped the key when the record is verified.
  public_jwk jsonb NOT NULL,
  closed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- The sum that a closed day drew from each lot, and the part of it that was credited back.
CREATE TABLE ledger.closing (
  day date NOT NULL,
  account_id text NOT NULL,
  lot_id bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  returned bigint NOT NULL CHECK (returned BETWEEN 0 AND amount),
  PRIMARY KEY (day, account_id, lot_id)
);
CREATE INDEX closing_lot ON ledger.closing (account_id, lot_id);
-- The usage of each account on a closed day, less what was credited back (`ledger.account_usage`). `calls` counts each call on the row of its
-- first draw, `plan_calls` on the row of each of its plans.
CREATE TABLE ledger.closed_usage (
  day date NOT NULL,
  account_id text NOT NULL,
  service text NOT NULL,
  operation text NOT NULL,
  plan_id text,
  key_id text,
  price_key text,
  calls bigint NOT NULL,
  plan_calls bigint NOT NULL,
  units bigint NOT NULL,
  included bigint NOT NULL,
  cost bigint NOT NULL,
  quantities jsonb
);
CREATE INDEX closed_usage_account ON ledger.closed_usage (account_id, day);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.closed_day FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.closed_day FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.closing FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.closing FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.closed_usage FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.closed_usage FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
