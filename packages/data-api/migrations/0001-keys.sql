-- API keys, their allowance of records, and the usage of each request.

create table direct.setting (
  name text primary key,
  value text not null
);

create table direct.api_key (
  id text primary key,
  -- The operator's name for the key.
  label text,
  plan text not null,
  plan_status text not null check (plan_status in ('active', 'past_due', 'canceled', 'expired')),
  started_at timestamptz not null,
  requests_per_second integer not null check (requests_per_second > 0),
  allowed_apis text[],
  -- These three are null where records are unlimited.
  records_allowance bigint check (records_allowance >= 0),
  records_remaining bigint check (records_remaining >= 0),
  next_reset_at timestamptz,
  -- Number of renewals. Unused records are returned only to the period that they were reserved from.
  period integer not null default 0,
  made_at timestamptz not null,
  revoked_at timestamptz,
  check (num_nulls(records_allowance, records_remaining, next_reset_at) in (0, 3))
) with (fillfactor = 50);
create index api_key_made on direct.api_key (made_at, id);

-- SHA-256 digests of a key's secrets. Rows are only added, so concurrent rotations need no lock: the latest secret is valid,
-- and each row says when all earlier ones expire.
create table direct.api_secret (
  number bigint generated always as identity,
  key_id text not null references direct.api_key,
  digest text not null unique,
  made_at timestamptz not null,
  earlier_end_at timestamptz not null,
  primary key (key_id, number)
);

create table direct.usage (
  request_id text primary key,
  key_id text not null references direct.api_key,
  operation text not null,
  period integer not null,
  reserved integer not null check (reserved > 0),
  used integer check (used between 0 and reserved),
  reserved_at timestamptz not null
) with (fillfactor = 80);

-- For reservations that no process has settled, and for rows that are old enough to delete.
create index usage_open on direct.usage (reserved_at) where used is null;
create index usage_by_time on direct.usage using brin (reserved_at);

-- Usage of finished hours, for reports. Hours up to the setting `usage_summed_until` are summed up.
create table direct.usage_hour (
  key_id text not null references direct.api_key,
  hour timestamptz not null,
  calls integer not null,
  records bigint not null,
  primary key (key_id, hour)
);
