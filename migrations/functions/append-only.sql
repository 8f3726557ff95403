-- Refuses a change of an append-only table (the triggers are in 0001_ledger.sql).
CREATE OR REPLACE FUNCTION shop.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % is refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;

-- Records the payment of an order at its grant, also in the audit list of its account, and decides on the mail about it (the triggers are in 0001_ledger.sql). The mail about an automatic
-- charge goes to the card holder; the person of the account gets another one only at another address.
CREATE OR REPLACE FUNCTION shop.record_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shop.payment_record (order_id, payment, amount, tax, rail, transaction) VALUES (NEW.id, NEW.payment, NEW.amount, NEW.tax, NEW.rail, NEW.transaction);
  PERFORM shop.add_account_event(NEW.account_id, coalesce((SELECT e.who FROM shop.account_event e WHERE e.account_id = NEW.account_id
      AND e.act = 'purchase_started' AND e.subject = NEW.id ORDER BY e.id LIMIT 1), 'payment'), 'purchase_paid', NEW.id,
    jsonb_build_object('amount_micro_usd', NEW.amount, 'plan', NEW.plan_id)) WHERE NEW.account_id IS NOT NULL;
  IF NOT EXISTS (SELECT FROM shop.top_up_consent c JOIN shop.account a ON a.id = NEW.account_id AND shop.contact_of(a.id) = c.email
      WHERE NEW.rail = 'top_up' AND c.id = NEW.saved_card ->> 'consent') THEN
    PERFORM shop.add_account_mail('paid_' || NEW.id, NEW.account_id, 'paid', NEW.id);
  END IF;
  RETURN NULL;
END $$;
