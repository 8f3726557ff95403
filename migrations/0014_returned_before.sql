-- Hand-written: this function has another parameter now.
DROP FUNCTION IF EXISTS shop.record_sent_by_hand(text, bigint, text, text, text);
