CREATE TABLE "shop"."card_setup" (
	"session" text PRIMARY KEY NOT NULL,
	"reference" text NOT NULL,
	"account_id" text NOT NULL,
	"address" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "card_setup_reference" ON "shop"."card_setup" USING btree ("reference");--> statement-breakpoint
CREATE INDEX "card_setup_account" ON "shop"."card_setup" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "card_setup_at" ON "shop"."card_setup" USING btree ("at");