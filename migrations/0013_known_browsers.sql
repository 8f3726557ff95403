ALTER TABLE "shop"."sign_in" ADD COLUMN "known_digest" text;--> statement-breakpoint
-- Hand-written: these functions have other parameters or results now.
DROP FUNCTION IF EXISTS shop.begin_sign_in(text, text, text, text[], integer[], integer[], text, text, timestamptz, integer, integer, text);--> statement-breakpoint
DROP FUNCTION IF EXISTS shop.complete_sign_in(text, text, text, integer, integer);
