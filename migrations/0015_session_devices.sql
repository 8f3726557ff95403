ALTER TABLE "shop"."operator_session" ADD COLUMN "device" text;--> statement-breakpoint
-- Hand-written: these functions have other parameters or results now.
DROP FUNCTION IF EXISTS shop.start_operator_session(text, text, text, timestamptz, text, text);--> statement-breakpoint
DROP FUNCTION IF EXISTS shop.complete_sign_in(text, text, text, integer, integer);
