-- Refuses a change of an append-only table (the triggers are in 0001_ledger.sql).
CREATE OR REPLACE FUNCTION shop.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % is refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;

-- Records the payment of an order at its grant, and decides on the mail about it (the triggers are in 0001_ledger.sql). The mail about an automatic
-- charge goes to the card holder; the person of the account gets another one only at another address.
CREATE OR REPLACE FUNCTION shop.record_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shop.payment_record (order_id, payment, amount, tax, rail, transaction) VALUES (NEW.id, NEW.payment, NEW.amount, NEW.tax, NEW.rail, NEW.transaction);
  IF NOT EXISTS (SELECT FROM shop.top_up_consent c JOIN shop.account a ON a.id = NEW.account_id AND a.email = c.email
      WHERE NEW.rail = 'top_up' AND c.id = NEW.saved_card ->> 'consent') THEN
    PERFORM shop.add_account_mail('paid_' || NEW.id, NEW.account_id, 'paid', NEW.id);
  END IF;
  RETURN NULL;
END $$;
