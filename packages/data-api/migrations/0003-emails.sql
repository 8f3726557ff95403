-- Verification results, one row per address. They are independent of data-set versions: a result survives the next load.

create table direct.address (
  email text primary key,
  domain text not null,
  state text not null check (state in ('verified', 'invalid', 'catch_all', 'unknown')),
  reason text not null,
  -- Time of the last change of state.
  changed_at timestamptz not null,
  -- Time of the last conclusive test, ours or one stated by imported data; null before the first.
  tested_at timestamptz,
  verified_at timestamptz,
  -- Inconclusive attempts since then, and the reason of the last one.
  attempts smallint not null default 0,
  trouble text,
  -- Time of the next test; null if the live data-set version lacks the address. A claim sets it to the end of its lease.
  due_at timestamptz,
  -- The worker that is testing the address. A result of another worker is ignored.
  claim text,
  check (state <> 'verified' or (verified_at is not null and tested_at is not null))
) with (fillfactor = 70);
-- Verified addresses are tested first: they are returned to callers only for thirty days after a test.
create index address_verified_due on direct.address (due_at, domain) where state = 'verified' and due_at is not null;
create index address_other_due on direct.address (due_at, domain) where state <> 'verified' and due_at is not null;

-- Limits concurrent connections to the mail servers of one operator, and counts their results.
create table direct.mail_connection_slot (
  operator text not null,
  number smallint not null,
  -- End of the lease while the slot is held, then end of the pause before it can be used again.
  free_at timestamptz not null,
  conversations integer not null default 0,
  troubled integer not null default 0,
  milliseconds bigint not null default 0,
  primary key (operator, number)
) with (fillfactor = 70);
