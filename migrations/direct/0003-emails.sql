-- What mail servers say of the addresses: one row each, over all generations, since a test outlives the load that
-- brought its address.

create table direct.address (
  email text primary key,
  domain text not null,
  state text not null check (state in ('verified', 'invalid', 'catch_all', 'unknown')),
  reason text not null,
  -- Since when the state has been this one.
  changed_at timestamptz not null,
  -- The last test that came to an end, be it ours or that of whoever brought the address; null before the first.
  tested_at timestamptz,
  verified_at timestamptz,
  -- Tries since then that came to nothing, and what the last of them came to.
  attempts smallint not null default 0,
  trouble text,
  -- When it is tested next; null where the live generation does not have it. A claim moves it to the end of its lease.
  due_at timestamptz,
  -- Who is testing it. Whoever comes with another one comes too late.
  claim text,
  check (state <> 'verified' or (verified_at is not null and tested_at is not null))
) with (fillfactor = 70);
-- Those that are told to callers come first: theirs are the thirty days that end.
create index address_told_due on direct.address (due_at, domain) where state = 'verified' and due_at is not null;
create index address_other_due on direct.address (due_at, domain) where state <> 'verified' and due_at is not null;

-- The connections that the mail servers of one operator may have to put up with, and how they went.
create table direct.mail_line (
  operator text not null,
  number smallint not null,
  -- While a line is held this is the end of its lease, afterwards that of its rest.
  free_at timestamptz not null,
  conversations integer not null default 0,
  troubled integer not null default 0,
  milliseconds bigint not null default 0,
  primary key (operator, number)
) with (fillfactor = 70);
