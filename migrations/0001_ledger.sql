-- The ledger: what was granted to each account, what is leased to each process, and what was used. Only the functions in
-- migrations/functions move money. Each call of one is a single statement, so that a lost connection cannot leave half a movement
-- (docs/architecture.md).
CREATE SCHEMA ledger;

-- A lot: one grant to an account, in units of results (`unit`) or micro-dollars (`usd`).
CREATE TABLE ledger.lot (
  account_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  asset text NOT NULL CHECK (asset IN ('usd', 'unit')),
  -- A `budget` is not money: it limits what calls under one key may draw, and its account is the key (shop.make_key).
  kind text NOT NULL CHECK (kind IN ('trial', 'allowance', 'credit', 'grant', 'budget')),
  plan_id text NOT NULL,
  -- Burn order: priority, then the earliest expiry, then the oldest lot. Units are used before money.
  priority smallint NOT NULL,
  avail bigint NOT NULL CHECK (avail >= 0),
  -- The part of a refund or dispute that exceeds what is left. It is taken from the lot as soon as units return to it. Spent
  -- units are never claimed from the buyer, so an amount that stays here is the seller's loss.
  clawback_due bigint NOT NULL DEFAULT 0 CHECK (clawback_due >= 0),
  expires_at timestamptz,
  -- When an allowance is renewed. Its units can be used for the plan's grace days after that.
  resets_at timestamptz,
  -- The account and lot that received the rest when the account was joined to another one.
  moved_account text,
  moved_to bigint,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The lot is used up and its plan has a newer one. Writers skip closed lots, so that a call costs the same after a thousand purchases
  -- as after one. Units that return to the lot, or a clawback of it, open it again.
  closed boolean NOT NULL DEFAULT false CHECK (NOT closed OR (avail = 0 AND clawback_due = 0)),
  PRIMARY KEY (account_id, id)
) WITH (fillfactor = 70);
CREATE INDEX lot_open ON ledger.lot (account_id, id) WHERE NOT closed;
CREATE INDEX lot_expiry ON ledger.lot (expires_at) WHERE expires_at IS NOT NULL AND avail > 0;
CREATE INDEX lot_clawback_due ON ledger.lot (account_id, id) WHERE clawback_due > 0;
CREATE INDEX lot_moved ON ledger.lot (moved_account, moved_to) WHERE moved_to IS NOT NULL;

-- The journal: every entry into or out of a lot except usage. `contra` is the other side of the double entry.
CREATE TABLE ledger.posting (
  key text PRIMARY KEY,
  account_id text NOT NULL,
  lot_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('purchase', 'trial', 'grant', 'budget', 'expiry', 'undelivered', 'reversed', 'reinstated', 'moved')),
  contra text NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX posting_lot ON ledger.posting (account_id, lot_id);
CREATE INDEX posting_undelivered ON ledger.posting (at) WHERE kind = 'undelivered';

-- One writer for each process. The epoch rises whenever the writer is opened or reaped. A process that writes under an older epoch is fenced.
CREATE TABLE ledger.writer (
  id text PRIMARY KEY,
  epoch bigint NOT NULL,
  open boolean NOT NULL,
  checkpointed_seq bigint NOT NULL,
  delivered_seq bigint NOT NULL,
  heartbeat_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- The part of a lot that is leased to a writer, less the spending of checkpointed batches.
CREATE TABLE ledger.lease (
  writer_id text NOT NULL,
  account_id text NOT NULL,
  lot_id bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (writer_id, account_id, lot_id)
) WITH (fillfactor = 50);
CREATE INDEX lease_lot ON ledger.lease (account_id, lot_id);

-- The settlements of one commit. Append-only. `spent` is the sum for each lot, so that checkpointing reads no usage rows. Rows are kept
-- for an hour; the table is laid out for fast writes, not for size.
CREATE TABLE ledger.batch (
  writer_id text NOT NULL,
  epoch bigint NOT NULL,
  seq bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  account_ids text[] NOT NULL,
  lot_ids bigint[] NOT NULL,
  spent bigint[] NOT NULL,
  call_ids uuid[] NOT NULL,
  -- All responses of the batches up to this one were sent. A checkpoint copies the number to the writer.
  delivered_seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (writer_id, epoch, seq)
) WITH (toast_tuple_target = 8160);

-- The result of a batch that requested leases. The same batch sent again gets the same result.
CREATE TABLE ledger.batch_result (
  writer_id text NOT NULL,
  epoch bigint NOT NULL,
  seq bigint NOT NULL,
  result jsonb NOT NULL,
  PRIMARY KEY (writer_id, epoch, seq)
);
ALTER TABLE ledger.batch_result ALTER COLUMN result SET STORAGE EXTERNAL;

-- One row for each call and lot drawn; `draw` counts them from 0. The UUIDv7 is unique over all partitions, and old days can be dropped
-- cheaply. There is no foreign key and no second index: they would cost a quarter of the hot path. Columns of a fixed size are next to each
-- other, so that a row has little padding.
CREATE TABLE ledger.usage (
  call_id uuid NOT NULL,
  draw smallint NOT NULL,
  status smallint NOT NULL,
  account_id text NOT NULL,
  lot_id bigint,
  -- Units of results; micro-dollars of a metered call, whose price is 1.
  units bigint NOT NULL CHECK (units >= 0),
  price bigint NOT NULL CHECK (price >= 0),
  amount bigint NOT NULL CHECK (amount >= 0),
  plan_id text,
  service text NOT NULL,
  operation text NOT NULL,
  -- The account's own key that the call was made with.
  key_id text,
  -- Of a metered call: the quantity of each meter, on its first row only.
  quantities jsonb,
  -- The entry of the price table that the call was charged by (the model), on all rows of the call.
  price_key text,
  -- The upstream's price of the call, in micro-dollars; null if unknown. Further rows of the call have 0.
  upstream_cost bigint,
  writer_id text NOT NULL,
  epoch bigint NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (call_id, draw),
  CHECK (lot_id IS NOT NULL OR amount = 0)
) PARTITION BY RANGE (call_id);
CREATE TABLE ledger.usage_other PARTITION OF ledger.usage DEFAULT;

-- Jobs of the upstream, each with the call that started it. The call is charged its worst case. When the job ends, the charge is credited back and the
-- cost of the job is booked (`ledger.end_job`). `void`: the call was never charged or never delivered.
CREATE TABLE ledger.job (
  call_id uuid PRIMARY KEY,
  account_id text NOT NULL,
  operation text NOT NULL,
  -- Its id at the upstream.
  id text NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'ended', 'released', 'void')),
  polls integer NOT NULL DEFAULT 0,
  next_poll_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 second',
  expires_at timestamptz NOT NULL,
  ended_at timestamptz CHECK ((ended_at IS NULL) = (state = 'open')),
  -- The call that the cost of the job is booked as.
  end_call_id uuid UNIQUE,
  -- The prices at its start, of a job that is counted by meters.
  prices jsonb
);
CREATE UNIQUE INDEX job_open ON ledger.job (operation, id) WHERE state = 'open';
CREATE INDEX job_due ON ledger.job (next_poll_at) WHERE state = 'open';

-- A call with an `Idempotency-Key` of its caller, and the writer that serves it. The key of a writer that has ended can be acquired by another
-- writer. Key and request are SHA-256 digests.
CREATE TABLE ledger.idempotency_key (
  account_id text NOT NULL,
  key bytea NOT NULL,
  request bytea NOT NULL,
  call_id uuid NOT NULL,
  writer_id text NOT NULL,
  epoch bigint NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_key_age ON ledger.idempotency_key (taken_at);

-- The stored response of an idempotency key, written in one commit with its charge. Append-only, dropped by days. The body is null if it
-- was too large to store.
CREATE TABLE ledger.stored_response (
  call_id uuid NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  key bytea NOT NULL,
  status smallint NOT NULL,
  headers text NOT NULL,
  body bytea
) PARTITION BY RANGE (call_id);
-- Rows are kept for a day only, so fast writes matter more than size.
ALTER TABLE ledger.stored_response ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE ledger.stored_response_other PARTITION OF ledger.stored_response DEFAULT;

-- The number of idempotency keys of an account in a day (UTC), and the bytes of their stored responses. Both are bounded.
CREATE TABLE ledger.idempotency_key_day (
  day date NOT NULL,
  account_id text NOT NULL,
  idempotency_keys integer NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (day, account_id)
) WITH (fillfactor = 50);

-- Sums drawn from each lot by usage rows that `ledger.drop_usage` has removed, and the days of those rows.
CREATE TABLE ledger.dropped_usage (
  account_id text NOT NULL,
  lot_id bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  PRIMARY KEY (account_id, lot_id)
);
CREATE TABLE ledger.dropped_day (
  day date PRIMARY KEY,
  calls bigint NOT NULL,
  dropped_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Usage of each hour that has ended. Usage rows are only ever added, and not to an hour that ended an hour ago, so a sum stays correct.
-- Later credits for undelivered responses are postings.
CREATE TABLE ledger.usage_hour (
  hour timestamptz NOT NULL,
  service text NOT NULL,
  calls bigint NOT NULL,
  -- Without metered calls, whose units are micro-dollars.
  units bigint NOT NULL,
  included bigint NOT NULL,
  cost bigint NOT NULL,
  -- Empty for calls without a price key.
  price_key text NOT NULL DEFAULT '',
  -- Calls with a known margin (`ledger.usage_between`), their revenue, and the upstream's price of them, in micro-dollars.
  costed_calls bigint NOT NULL DEFAULT 0,
  revenue bigint NOT NULL DEFAULT 0,
  upstream_cost bigint NOT NULL DEFAULT 0,
  -- The sum of each meter.
  quantities jsonb,
  PRIMARY KEY (hour, service, price_key)
);
-- The latest of those hours in which an account made a call.
CREATE TABLE ledger.account_last_hour (
  account_id text PRIMARY KEY,
  hour timestamptz NOT NULL
);
CREATE INDEX account_last_hour_hour ON ledger.account_last_hour (hour);

-- Placeholders, because a trigger needs its function. The bodies are in migrations/functions.
CREATE FUNCTION shop.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION shop.record_payment() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION shop.mark_changed_top_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;

-- Append-only tables: the role that the program connects as can neither change nor delete rows. Its rights are the first line of defence
-- (`shop.grant_app`), these triggers the second. The owner of the tables can remove both; `ledger.verify` then finds what was changed.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.usage FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.usage FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.usage_other FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.posting FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.posting FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE ON ledger.batch FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
-- Old batches are deleted (`ledger.prune`). Deleting a recent one would return what it spent to its lots.
CREATE TRIGGER append_only_young BEFORE DELETE ON ledger.batch FOR EACH ROW WHEN (OLD.at > now() - interval '10 minutes') EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.batch FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON shop.payment_record FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON shop.payment_record FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON shop.replacement FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON shop.replacement FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
-- The result of an action that was recorded before it was performed is added later, once. Nothing else of an audit entry changes.
CREATE TRIGGER append_only BEFORE UPDATE ON shop.audit FOR EACH ROW
  WHEN (OLD.after IS NOT NULL OR (NEW.id, NEW.at, NEW.who, NEW.act, NEW.subject, NEW.before) IS DISTINCT FROM (OLD.id, OLD.at, OLD.who, OLD.act, OLD.subject, OLD.before))
  EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_row BEFORE DELETE ON shop.audit FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON shop.audit FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();

CREATE TRIGGER purchase_granted_now AFTER UPDATE ON shop.purchase FOR EACH ROW
  WHEN (NEW.state = 'granted' AND OLD.state <> 'granted' AND NEW.payment IS NOT NULL) EXECUTE FUNCTION shop.record_payment();
CREATE TRIGGER purchase_granted_new AFTER INSERT ON shop.purchase FOR EACH ROW
  WHEN (NEW.state = 'granted' AND NEW.payment IS NOT NULL) EXECUTE FUNCTION shop.record_payment();
CREATE TRIGGER top_up_changed BEFORE INSERT OR UPDATE OF state, below, amount, monthly_max ON shop.top_up
  FOR EACH ROW EXECUTE FUNCTION shop.mark_changed_top_up();

-- A wallet's row is written before its account's. drizzle-kit cannot express a deferred key.
ALTER TABLE shop.wallet ALTER CONSTRAINT wallet_account_id DEFERRABLE INITIALLY DEFERRED;
