-- Placeholders, because a trigger needs its function. The bodies are in migrations/functions (events.sql, credit-levels.sql).
CREATE FUNCTION shop.note_registered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION shop.note_granted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION shop.note_reversal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION shop.note_started() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION shop.note_ended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE FUNCTION shop.raise_credit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;

-- The events of the outbox. A trigger is part of the statement that it reports, whichever function makes the change.
CREATE TRIGGER account_registered AFTER INSERT ON shop.account FOR EACH ROW EXECUTE FUNCTION shop.note_registered();
-- At the commit: the functions that grant an order complete its row after they have changed its state.
CREATE CONSTRAINT TRIGGER purchase_granted_event AFTER UPDATE ON shop.purchase DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.state = 'granted' AND OLD.state <> 'granted') EXECUTE FUNCTION shop.note_granted();
CREATE CONSTRAINT TRIGGER purchase_granted_event_new AFTER INSERT ON shop.purchase DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.state = 'granted') EXECUTE FUNCTION shop.note_granted();
CREATE CONSTRAINT TRIGGER subscription_started AFTER INSERT ON shop.subscription DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION shop.note_started();
CREATE TRIGGER subscription_ended BEFORE UPDATE ON shop.subscription FOR EACH ROW
  WHEN (NOT OLD.end_noted AND (NEW.end_noted OR NEW.ended_at IS NOT NULL)) EXECUTE FUNCTION shop.note_ended();
CREATE TRIGGER reversal_changed AFTER INSERT OR UPDATE ON shop.reversal FOR EACH ROW EXECUTE FUNCTION shop.note_reversal();

-- At the commit, so that the lock of the level is the last one of a grant.
CREATE CONSTRAINT TRIGGER posting_raises_credit AFTER INSERT ON ledger.posting DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.amount > 0 AND NEW.kind IN ('purchase', 'trial', 'grant', 'reinstated', 'moved')) EXECUTE FUNCTION shop.raise_credit();

INSERT INTO shop.event_head (id, position) VALUES (true, 0);

-- Accounts and subscriptions from before the outbox report what happens to them from now on.
UPDATE shop.subscription SET end_noted = true WHERE ended_at IS NOT NULL OR processor_id IS NULL AND period_end <= clock_timestamp();
INSERT INTO shop.credit_level (account_id, asset, kind, basis)
  SELECT account_id, asset, CASE kind WHEN 'grant' THEN 'credit' ELSE kind END, sum(avail)
    FROM ledger.lot WHERE kind <> 'budget' AND NOT closed GROUP BY 1, 2, 3 HAVING sum(avail) > 0;
