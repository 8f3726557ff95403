-- Keys, their allowance of records and what each request took of it: who may ask, and how much is left.

create table direct.setting (
  name text primary key,
  value text not null
);

create table direct.api_key (
  id text primary key,
  digest text not null unique,
  plan text not null,
  plan_status text not null check (plan_status in ('active', 'past_due', 'canceled', 'expired')),
  started_at timestamptz not null,
  requests_per_second integer not null check (requests_per_second > 0),
  allowed_apis text[],
  records_allowance bigint not null check (records_allowance >= 0),
  records_remaining bigint not null check (records_remaining >= 0),
  next_reset_at timestamptz not null,
  -- Counts renewals: what a request gives back belongs to the period that it was taken from.
  period integer not null default 0,
  revoked_at timestamptz
) with (fillfactor = 50);

create table direct.usage (
  request_id text primary key,
  key_id text not null references direct.api_key,
  operation text not null,
  period integer not null,
  reserved integer not null check (reserved > 0),
  used integer check (used between 0 and reserved),
  reserved_at timestamptz not null
) with (fillfactor = 80);

-- Two short ways: to what no process has settled, and to what is old enough to go.
create index usage_open on direct.usage (reserved_at) where used is null;
create index usage_by_time on direct.usage using brin (reserved_at);
