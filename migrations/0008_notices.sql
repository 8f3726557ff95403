-- Notices that wait for the commit of the transaction that wrote them (migrations/functions/notices.sql). A lost notice only costs time, so the
-- table writes no log: inserting costs little, and deleting does not make a commit wait for a standby.
CREATE UNLOGGED TABLE ledger.notice (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel text NOT NULL,
  payload text NOT NULL
);
