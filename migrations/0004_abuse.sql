CREATE TABLE "shop"."card_attempt" (
	"attempt" text NOT NULL,
	"subject" text NOT NULL,
	"declined" boolean NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "card_attempt_pkey" PRIMARY KEY("attempt","subject")
);
--> statement-breakpoint
CREATE TABLE "shop"."charge" (
	"id" text PRIMARY KEY NOT NULL,
	"payment" text NOT NULL,
	"order_id" text,
	"succeeded" boolean NOT NULL,
	"risk_level" text,
	"risk_score" integer,
	"network_status" text,
	"outcome" text,
	"reason" text,
	"card" text,
	"trial" text,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."trial_proof" (
	"kind" text NOT NULL,
	"digest" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "trial_proof_pkey" PRIMARY KEY("kind","digest"),
	CONSTRAINT "trial_proof_kind" CHECK ("shop"."trial_proof"."kind" in ('email', 'card', 'wallet', 'address'))
);
--> statement-breakpoint
ALTER TABLE "shop"."purchase" ADD COLUMN "page_address" text;--> statement-breakpoint
CREATE INDEX "card_attempt_subject" ON "shop"."card_attempt" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "card_attempt_at" ON "shop"."card_attempt" USING btree ("at");--> statement-breakpoint
CREATE INDEX "charge_trial" ON "shop"."charge" USING btree ("at") WHERE "shop"."charge"."succeeded" and "shop"."charge"."card" is not null and "shop"."charge"."trial" is null;--> statement-breakpoint
CREATE INDEX "charge_payment" ON "shop"."charge" USING btree ("payment");--> statement-breakpoint
CREATE INDEX "charge_order" ON "shop"."charge" USING btree ("order_id") WHERE "shop"."charge"."order_id" is not null;--> statement-breakpoint
CREATE INDEX "charge_declined_at" ON "shop"."charge" USING btree ("at") WHERE not "shop"."charge"."succeeded";--> statement-breakpoint
CREATE INDEX "trial_proof_address_at" ON "shop"."trial_proof" USING btree ("at") WHERE "shop"."trial_proof"."kind" = 'address';--> statement-breakpoint
-- Hand-written: functions whose result or parameters have changed (migrations/functions).
DROP FUNCTION IF EXISTS shop.register(text, text, bigint, text);--> statement-breakpoint
DROP FUNCTION IF EXISTS shop.sign_in(text, timestamptz, text, text, text, text, bigint, text);--> statement-breakpoint
DROP FUNCTION IF EXISTS shop.complete_claim(text, text, integer, text, bigint, text);
--> statement-breakpoint
DROP FUNCTION IF EXISTS ledger.drawable_lots(text, text, boolean, bigint[]);--> statement-breakpoint
-- The most that the trials of all accounts together may use in an hour (`all_per_hour` in the catalogue). `used`: spent in the hour that began at
-- `hour`, and leased to writers.
CREATE TABLE ledger.trial_limit (
  plan_id text PRIMARY KEY,
  per_hour bigint NOT NULL CHECK (per_hour > 0),
  hour timestamptz NOT NULL,
  used bigint NOT NULL CHECK (used >= 0)
) WITH (fillfactor = 50);
