-- Refuses a change of an append-only table (the triggers are in 0001_ledger.sql).
CREATE OR REPLACE FUNCTION shop.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % is refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;

-- Records the payment of an order at its grant (the triggers are in 0001_ledger.sql).
CREATE OR REPLACE FUNCTION shop.record_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shop.payment_record (order_id, payment, amount, tax, rail, transaction) VALUES (NEW.id, NEW.payment, NEW.amount, NEW.tax, NEW.rail, NEW.transaction);
  RETURN NULL;
END $$;
