-- The shop: accounts, orders, and what processes share. Nothing here is a balance; money is kept by 0001.
CREATE SCHEMA "shop";
--> statement-breakpoint
CREATE TABLE "shop"."account" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"origin" text NOT NULL,
	"email" text,
	"claimed_at" timestamp with time zone,
	"joined_to" text,
	"joined_at" timestamp with time zone,
	"frozen_at" timestamp with time zone,
	CONSTRAINT "account_email" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "shop"."audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shop"."audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"who" text NOT NULL,
	"act" text NOT NULL,
	"subject" text NOT NULL,
	"before" jsonb,
	"after" jsonb
);
--> statement-breakpoint
CREATE TABLE "shop"."claim" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"email" text NOT NULL,
	"mailbox" text NOT NULL,
	"code_digest" text NOT NULL,
	"block" text,
	"tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"done_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "shop"."decline" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shop"."decline_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"subject" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."processor_event" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"done_at" timestamp with time zone,
	"attempts" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."promotion" (
	"code" text PRIMARY KEY NOT NULL,
	"plan_id" text NOT NULL,
	"asset" text NOT NULL,
	"amount" bigint NOT NULL,
	"expires_at" timestamp with time zone,
	"lot_days" integer,
	"redemptions_max" integer,
	"redemptions" integer DEFAULT 0 NOT NULL,
	"claimed_only" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "promotion_asset" CHECK ("shop"."promotion"."asset" in ('usd', 'unit')),
	CONSTRAINT "promotion_amount" CHECK ("shop"."promotion"."amount" > 0),
	CONSTRAINT "promotion_lot_days" CHECK ("shop"."promotion"."lot_days" > 0),
	CONSTRAINT "promotion_redemptions" CHECK ("shop"."promotion"."redemptions" between 0 and coalesce("shop"."promotion"."redemptions_max", "shop"."promotion"."redemptions"))
);
--> statement-breakpoint
CREATE TABLE "shop"."purchase" (
	"id" text PRIMARY KEY NOT NULL,
	"state" text DEFAULT 'offered' NOT NULL,
	"account_id" text,
	"plan_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"units" bigint,
	"terms" jsonb,
	"rail" text DEFAULT 'card' NOT NULL,
	"subscription_id" text,
	"period_start" timestamp with time zone,
	"period_end" timestamp with time zone,
	"return_url" text,
	"saved_card" jsonb,
	"challenge_id" text,
	"credential_digest" text,
	"checkout_session" text,
	"payment" text,
	"failure" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"claimed_at" timestamp with time zone,
	"claimed_by" text,
	"doubted" boolean DEFAULT false NOT NULL,
	"granted_at" timestamp with time zone,
	"looks" integer DEFAULT 0 NOT NULL,
	"seen" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "purchase_challenge_id" UNIQUE("challenge_id"),
	CONSTRAINT "purchase_checkout_session" UNIQUE("checkout_session"),
	CONSTRAINT "purchase_payment" UNIQUE("payment"),
	CONSTRAINT "purchase_amount" CHECK ("shop"."purchase"."amount" >= 0),
	CONSTRAINT "purchase_units" CHECK ("shop"."purchase"."units" > 0),
	CONSTRAINT "purchase_rail" CHECK ("shop"."purchase"."rail" in ('card', 'x402', 'invoice', 'top_up')),
	CONSTRAINT "purchase_state" CHECK ("shop"."purchase"."state" in ('offered', 'claimed', 'granted', 'declined'))
);
--> statement-breakpoint
CREATE TABLE "shop"."reversal" (
	"id" text PRIMARY KEY NOT NULL,
	"purchase_id" text NOT NULL,
	"kind" text NOT NULL,
	"amount" bigint NOT NULL,
	"status" text NOT NULL,
	"counts" boolean NOT NULL,
	"reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reversal_kind" CHECK ("shop"."reversal"."kind" in ('refund', 'dispute')),
	CONSTRAINT "reversal_amount" CHECK ("shop"."reversal"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "shop"."revocation" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."secret" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."signing_key" (
	"kid" text PRIMARY KEY NOT NULL,
	"private_jwk" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."subscription" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"plan_id" text NOT NULL,
	"processor_id" text,
	"status" text NOT NULL,
	"period_start" timestamp with time zone NOT NULL,
	"period_end" timestamp with time zone NOT NULL,
	"cancel_at_period_end" boolean DEFAULT false NOT NULL,
	"next_plan_id" text,
	"change_number" integer DEFAULT 0 NOT NULL,
	"change_plan" text,
	"change_credit" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	"looks" integer DEFAULT 0 NOT NULL,
	"seen" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "subscription_processor_id" UNIQUE("processor_id"),
	CONSTRAINT "subscription_status" CHECK ("shop"."subscription"."status" in ('active', 'past_due', 'canceled', 'expired')),
	CONSTRAINT "subscription_period" CHECK ("shop"."subscription"."period_end" > "shop"."subscription"."period_start")
);
--> statement-breakpoint
CREATE TABLE "shop"."top_up" (
	"account_id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"plan_id" text NOT NULL,
	"below" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"monthly_max" bigint NOT NULL,
	"saved_card" jsonb NOT NULL,
	"reason" text,
	"sequence" integer DEFAULT 0 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "top_up_state" CHECK ("shop"."top_up"."state" in ('on', 'off', 'stopped')),
	CONSTRAINT "top_up_amount" CHECK ("shop"."top_up"."amount" >= "shop"."top_up"."below" and "shop"."top_up"."monthly_max" >= "shop"."top_up"."amount" and "shop"."top_up"."below" > 0)
);
--> statement-breakpoint
CREATE INDEX "account_frozen" ON "shop"."account" USING btree ("id") WHERE "shop"."account"."frozen_at" is not null;--> statement-breakpoint
CREATE INDEX "account_created_at" ON "shop"."account" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "account_joined" ON "shop"."account" USING btree ("joined_to") WHERE "shop"."account"."joined_to" is not null;--> statement-breakpoint
CREATE INDEX "account_joined_at" ON "shop"."account" USING btree ("joined_at") WHERE "shop"."account"."joined_at" is not null;--> statement-breakpoint
CREATE INDEX "audit_subject" ON "shop"."audit" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "claim_account" ON "shop"."claim" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "claim_created_at" ON "shop"."claim" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "decline_subject_at" ON "shop"."decline" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "purchase_in_doubt" ON "shop"."purchase" USING btree ("created_at") WHERE "shop"."purchase"."claimed_by" is not null;--> statement-breakpoint
CREATE INDEX "purchase_untaken" ON "shop"."purchase" USING btree ("expires_at") WHERE "shop"."purchase"."state" = 'offered';--> statement-breakpoint
CREATE INDEX "purchase_page" ON "shop"."purchase" USING btree ("expires_at") WHERE "shop"."purchase"."checkout_session" is not null;--> statement-breakpoint
CREATE INDEX "purchase_begun" ON "shop"."purchase" USING btree ("created_at","id") WHERE "shop"."purchase"."state" <> 'offered';--> statement-breakpoint
CREATE INDEX "purchase_account" ON "shop"."purchase" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "purchase_top_up" ON "shop"."purchase" USING btree ("account_id","created_at") WHERE "shop"."purchase"."rail" = 'top_up';--> statement-breakpoint
CREATE INDEX "purchase_subscription" ON "shop"."purchase" USING btree ("subscription_id") WHERE "shop"."purchase"."subscription_id" is not null;--> statement-breakpoint
CREATE INDEX "reversal_purchase" ON "shop"."reversal" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "revocation_expires_at" ON "shop"."revocation" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "subscription_account" ON "shop"."subscription" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "top_up_on" ON "shop"."top_up" USING btree ("account_id") WHERE "shop"."top_up"."state" = 'on';