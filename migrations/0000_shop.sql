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
CREATE TABLE "shop"."block_use" (
	"kind" text NOT NULL,
	"block" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."claim" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"email" text NOT NULL,
	"mailbox" text NOT NULL,
	"code_digest" text NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"done_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "shop"."key" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"digest" text NOT NULL,
	"hint" text NOT NULL,
	"name" text NOT NULL,
	"budget" bigint,
	"services" text[],
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "key_digest" UNIQUE("digest"),
	CONSTRAINT "key_budget" CHECK ("shop"."key"."budget" > 0),
	CONSTRAINT "key_services" CHECK (cardinality("shop"."key"."services") > 0)
);
--> statement-breakpoint
CREATE TABLE "shop"."proof" (
	"key" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."revocation" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."resource" (
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone,
	CONSTRAINT "resource_pkey" PRIMARY KEY("kind","id"),
	CONSTRAINT "resource_id" CHECK (length("shop"."resource"."id") between 1 and 200)
);
--> statement-breakpoint
CREATE TABLE "shop"."sign_in" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"mailbox" text NOT NULL,
	"token_digest" text NOT NULL,
	"browser_digest" text NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	CONSTRAINT "sign_in_token_digest" UNIQUE("token_digest")
);
--> statement-breakpoint
CREATE TABLE "shop"."used_work" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."wallet" (
	"address" text NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "wallet_pkey" PRIMARY KEY("address","account_id"),
	CONSTRAINT "wallet_address" CHECK ("shop"."wallet"."address" ~ '^0x[0-9a-f]{40}$')
);
--> statement-breakpoint
CREATE TABLE "shop"."oauth_client" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"redirect_uris" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "oauth_client_redirect_uris" CHECK (cardinality("shop"."oauth_client"."redirect_uris") between 1 and 10)
);
--> statement-breakpoint
CREATE TABLE "shop"."oauth_code" (
	"digest" text PRIMARY KEY NOT NULL,
	"sid" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"challenge" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "shop"."oauth_grant" (
	"sid" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"client_id" text NOT NULL,
	"client_name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"used_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."oauth_refresh_token" (
	"digest" text PRIMARY KEY NOT NULL,
	"sid" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"rotated_at" timestamp with time zone
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
CREATE TABLE "shop"."catalog" (
	"digest" text PRIMARY KEY NOT NULL,
	"text" text NOT NULL,
	"taken_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."function_set" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shop"."function_set_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"digest" text NOT NULL,
	"applied_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "function_set_digest" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "shop"."mail" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shop"."mail_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" text NOT NULL,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"body" text NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"due_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "mail_key" UNIQUE("key"),
	CONSTRAINT "mail_state" CHECK ("shop"."mail"."state" in ('waiting', 'sent', 'refused', 'expired'))
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
CREATE TABLE "shop"."uncountable_response" (
	"day" date NOT NULL,
	"operation" text NOT NULL,
	"reason" text NOT NULL,
	"writer" text NOT NULL,
	"calls" bigint NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "uncountable_response_pkey" PRIMARY KEY("day","operation","reason","writer"),
	CONSTRAINT "uncountable_response_calls" CHECK ("shop"."uncountable_response"."calls" > 0)
);
--> statement-breakpoint
CREATE TABLE "shop"."decline" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shop"."decline_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"subject" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."fee" (
	"id" text PRIMARY KEY NOT NULL,
	"payment" text NOT NULL,
	"kind" text NOT NULL,
	"currency" text NOT NULL,
	"amount" bigint NOT NULL,
	"fee" bigint NOT NULL,
	"tax" bigint NOT NULL,
	"net" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "fee_kind" CHECK ("shop"."fee"."kind" in ('charge', 'refund', 'dispute'))
);
--> statement-breakpoint
CREATE TABLE "shop"."fee_reading" (
	"payment" text PRIMARY KEY NOT NULL,
	"read_at" timestamp with time zone NOT NULL,
	"is_complete" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."payment_record" (
	"order_id" text PRIMARY KEY NOT NULL,
	"payment" text NOT NULL,
	"amount" bigint NOT NULL,
	"tax" bigint DEFAULT 0 NOT NULL,
	"rail" text NOT NULL,
	"transaction" text,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."processor_event" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"done_at" timestamp with time zone,
	"attempts" integer DEFAULT 1 NOT NULL,
	"failure" text,
	"failed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "shop"."purchase" (
	"id" text PRIMARY KEY NOT NULL,
	"state" text DEFAULT 'offered' NOT NULL,
	"account_id" text,
	"plan_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"tax" bigint DEFAULT 0 NOT NULL,
	"tax_quote" jsonb,
	"invoiced" boolean DEFAULT false NOT NULL,
	"units" bigint,
	"terms" jsonb,
	"rail" text DEFAULT 'card' NOT NULL,
	"subscription_id" text,
	"period_start" timestamp with time zone,
	"period_end" timestamp with time zone,
	"return_url" text,
	"saved_card" jsonb,
	"payer" text,
	"challenge_id" text,
	"credential_digest" text,
	"checkout_session" text,
	"page_browser" text,
	"payment" text,
	"transaction" text,
	"signed_payment" jsonb,
	"failure" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"claimed_at" timestamp with time zone,
	"claimed_by" text,
	"maybe_charged" boolean DEFAULT false NOT NULL,
	"granted_at" timestamp with time zone,
	"granted_challenge" text,
	"tokens_issued_at" timestamp with time zone,
	"notified" boolean DEFAULT false NOT NULL,
	"sync_seq" integer DEFAULT 0 NOT NULL,
	"applied_seq" integer DEFAULT 0 NOT NULL,
	"pages_closed" integer DEFAULT 0 NOT NULL,
	"page_read_at" timestamp with time zone,
	"unreconciled" text,
	CONSTRAINT "purchase_challenge_id" UNIQUE("challenge_id"),
	CONSTRAINT "purchase_checkout_session" UNIQUE("checkout_session"),
	CONSTRAINT "purchase_payment" UNIQUE("payment"),
	CONSTRAINT "purchase_amount" CHECK ("shop"."purchase"."amount" >= 0),
	CONSTRAINT "purchase_tax" CHECK ("shop"."purchase"."tax" >= 0),
	CONSTRAINT "purchase_units" CHECK ("shop"."purchase"."units" > 0),
	CONSTRAINT "purchase_rail" CHECK ("shop"."purchase"."rail" in ('card', 'x402', 'invoice', 'top_up')),
	CONSTRAINT "purchase_state" CHECK ("shop"."purchase"."state" in ('offered', 'claimed', 'granted', 'declined'))
);
--> statement-breakpoint
CREATE TABLE "shop"."refund_request" (
	"purchase_id" text PRIMARY KEY NOT NULL,
	"amount" bigint NOT NULL,
	"reason" text NOT NULL,
	"asked_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"declined_at" timestamp with time zone,
	"answer" text,
	"notified_at" timestamp with time zone,
	"notifying_until" timestamp with time zone,
	CONSTRAINT "refund_request_amount" CHECK ("shop"."refund_request"."amount" > 0),
	CONSTRAINT "refund_request_answer" CHECK (("shop"."refund_request"."declined_at" is null) = ("shop"."refund_request"."answer" is null))
);
--> statement-breakpoint
CREATE TABLE "shop"."replacement" (
	"replaced_id" text PRIMARY KEY NOT NULL,
	"purchase_id" text NOT NULL,
	"units_left" bigint NOT NULL,
	"units_reversed" bigint NOT NULL,
	"units_credited" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "replacement_purchase_id" UNIQUE("purchase_id"),
	CONSTRAINT "replacement_units" CHECK ("shop"."replacement"."units_left" >= 0 and "shop"."replacement"."units_credited" >= 0)
);
--> statement-breakpoint
CREATE TABLE "shop"."reversal" (
	"id" text PRIMARY KEY NOT NULL,
	"purchase_id" text NOT NULL,
	"kind" text NOT NULL,
	"amount" bigint NOT NULL,
	"tax" bigint DEFAULT 0 NOT NULL,
	"status" text NOT NULL,
	"is_effective" boolean NOT NULL,
	"reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reversal_kind" CHECK ("shop"."reversal"."kind" in ('refund', 'dispute')),
	CONSTRAINT "reversal_amount" CHECK ("shop"."reversal"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "shop"."plan_change" (
	"id" text PRIMARY KEY NOT NULL,
	"subscription_id" text NOT NULL,
	"plan_id" text NOT NULL,
	"replaces" jsonb,
	"state" text DEFAULT 'open' NOT NULL,
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "plan_change_state" CHECK ("shop"."plan_change"."state" in ('open', 'made', 'failed'))
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
CREATE TABLE "shop"."subscription" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"plan_id" text NOT NULL,
	"processor_id" text,
	"status" text NOT NULL,
	"period_start" timestamp with time zone NOT NULL,
	"period_end" timestamp with time zone NOT NULL,
	"anchor" timestamp with time zone,
	"cancel_at_period_end" boolean DEFAULT false NOT NULL,
	"next_plan_id" text,
	"pay_url" text,
	"payer_email" text,
	"manage_key" text DEFAULT 'spk_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') NOT NULL,
	"links_mailed_at" timestamp with time zone,
	"unpaid_notified_for" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	"sync_seq" integer DEFAULT 0 NOT NULL,
	"applied_seq" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "subscription_processor_id" UNIQUE("processor_id"),
	CONSTRAINT "subscription_manage_key" UNIQUE("manage_key"),
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
	"consent_id" text NOT NULL,
	"reason" text,
	"sequence" integer DEFAULT 0 NOT NULL,
	"low" boolean DEFAULT true NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "top_up_state" CHECK ("shop"."top_up"."state" in ('on', 'off', 'stopped')),
	CONSTRAINT "top_up_amount" CHECK ("shop"."top_up"."amount" >= "shop"."top_up"."below" and "shop"."top_up"."monthly_max" >= "shop"."top_up"."amount" and "shop"."top_up"."below" > 0)
);
--> statement-breakpoint
CREATE TABLE "shop"."top_up_consent" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"plan_id" text NOT NULL,
	"below" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"monthly_max" bigint NOT NULL,
	"state" text DEFAULT 'offered' NOT NULL,
	"checkout_session" text,
	"saved_card" jsonb,
	"email" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"agreed_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "top_up_consent_checkout_session" UNIQUE("checkout_session"),
	CONSTRAINT "top_up_consent_state" CHECK ("shop"."top_up_consent"."state" in ('offered', 'agreed', 'ended')),
	CONSTRAINT "top_up_consent_card" CHECK ("shop"."top_up_consent"."state" <> 'agreed' or "shop"."top_up_consent"."saved_card" is not null)
);
--> statement-breakpoint
ALTER TABLE "shop"."key" ADD CONSTRAINT "key_account_id" FOREIGN KEY ("account_id") REFERENCES "shop"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."resource" ADD CONSTRAINT "resource_account_id" FOREIGN KEY ("account_id") REFERENCES "shop"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."wallet" ADD CONSTRAINT "wallet_account_id" FOREIGN KEY ("account_id") REFERENCES "shop"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."oauth_code" ADD CONSTRAINT "oauth_code_grant" FOREIGN KEY ("sid") REFERENCES "shop"."oauth_grant"("sid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."oauth_grant" ADD CONSTRAINT "oauth_grant_account_id" FOREIGN KEY ("account_id") REFERENCES "shop"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."oauth_refresh_token" ADD CONSTRAINT "oauth_refresh_token_grant" FOREIGN KEY ("sid") REFERENCES "shop"."oauth_grant"("sid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."refund_request" ADD CONSTRAINT "refund_request_purchase" FOREIGN KEY ("purchase_id") REFERENCES "shop"."purchase"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_frozen" ON "shop"."account" USING btree ("id") WHERE "shop"."account"."frozen_at" is not null;--> statement-breakpoint
CREATE INDEX "account_created_at" ON "shop"."account" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "account_email_prefix" ON "shop"."account" USING btree ("email" text_pattern_ops) WHERE "shop"."account"."email" is not null;--> statement-breakpoint
CREATE INDEX "account_joined" ON "shop"."account" USING btree ("joined_to") WHERE "shop"."account"."joined_to" is not null;--> statement-breakpoint
CREATE INDEX "account_joined_at" ON "shop"."account" USING btree ("joined_at") WHERE "shop"."account"."joined_at" is not null;--> statement-breakpoint
CREATE INDEX "block_use_block" ON "shop"."block_use" USING btree ("kind","block","at");--> statement-breakpoint
CREATE INDEX "block_use_at" ON "shop"."block_use" USING btree ("at");--> statement-breakpoint
CREATE INDEX "claim_account" ON "shop"."claim" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "claim_created_at" ON "shop"."claim" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "key_account" ON "shop"."key" USING btree ("account_id","created_at") WHERE "shop"."key"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "proof_expires_at" ON "shop"."proof" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "revocation_account" ON "shop"."revocation" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "revocation_expires_at" ON "shop"."revocation" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "resource_account" ON "shop"."resource" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "resource_expires_at" ON "shop"."resource" USING btree ("expires_at") WHERE "shop"."resource"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "sign_in_created_at" ON "shop"."sign_in" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "wallet_account" ON "shop"."wallet" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "oauth_client_created_at" ON "shop"."oauth_client" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "oauth_code_sid" ON "shop"."oauth_code" USING btree ("sid");--> statement-breakpoint
CREATE INDEX "oauth_grant_account" ON "shop"."oauth_grant" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "oauth_grant_client" ON "shop"."oauth_grant" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_token_sid" ON "shop"."oauth_refresh_token" USING btree ("sid");--> statement-breakpoint
CREATE INDEX "oauth_refresh_token_expires_at" ON "shop"."oauth_refresh_token" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "audit_subject" ON "shop"."audit" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "mail_due" ON "shop"."mail" USING btree ("due_at") WHERE "shop"."mail"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "mail_expires" ON "shop"."mail" USING btree ("expires_at") WHERE "shop"."mail"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "decline_subject_at" ON "shop"."decline" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "fee_payment" ON "shop"."fee" USING btree ("payment");--> statement-breakpoint
CREATE INDEX "fee_at" ON "shop"."fee" USING btree ("at");--> statement-breakpoint
CREATE INDEX "processor_event_open" ON "shop"."processor_event" USING btree ("received_at") WHERE "shop"."processor_event"."done_at" is null;--> statement-breakpoint
CREATE INDEX "purchase_in_doubt" ON "shop"."purchase" USING btree ("created_at") WHERE "shop"."purchase"."claimed_by" is not null;--> statement-breakpoint
CREATE INDEX "purchase_offered" ON "shop"."purchase" USING btree ("expires_at") WHERE "shop"."purchase"."state" = 'offered';--> statement-breakpoint
CREATE INDEX "purchase_page" ON "shop"."purchase" USING btree ("expires_at") WHERE "shop"."purchase"."checkout_session" is not null;--> statement-breakpoint
CREATE INDEX "purchase_not_offered" ON "shop"."purchase" USING btree ("created_at","id") WHERE "shop"."purchase"."state" <> 'offered';--> statement-breakpoint
CREATE INDEX "purchase_granted" ON "shop"."purchase" USING btree ("granted_at") WHERE "shop"."purchase"."state" = 'granted';--> statement-breakpoint
CREATE INDEX "purchase_declined" ON "shop"."purchase" USING btree ("created_at","id") WHERE "shop"."purchase"."state" = 'declined';--> statement-breakpoint
CREATE INDEX "purchase_unreconciled" ON "shop"."purchase" USING btree ("created_at") WHERE "shop"."purchase"."unreconciled" is not null;--> statement-breakpoint
CREATE INDEX "purchase_transaction" ON "shop"."purchase" USING btree ("transaction") WHERE "shop"."purchase"."transaction" is not null;--> statement-breakpoint
CREATE INDEX "purchase_account" ON "shop"."purchase" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "purchase_top_up" ON "shop"."purchase" USING btree ("account_id","created_at") WHERE "shop"."purchase"."rail" = 'top_up';--> statement-breakpoint
CREATE INDEX "purchase_to_notify" ON "shop"."purchase" USING btree ("granted_at") WHERE "shop"."purchase"."rail" = 'top_up' and "shop"."purchase"."state" = 'granted' and not "shop"."purchase"."notified";--> statement-breakpoint
CREATE INDEX "purchase_subscription" ON "shop"."purchase" USING btree ("subscription_id") WHERE "shop"."purchase"."subscription_id" is not null;--> statement-breakpoint
CREATE INDEX "refund_request_asked" ON "shop"."refund_request" USING btree ("asked_at","purchase_id");--> statement-breakpoint
CREATE INDEX "refund_request_to_notify" ON "shop"."refund_request" USING btree ("asked_at") WHERE "shop"."refund_request"."notified_at" is null;--> statement-breakpoint
CREATE INDEX "reversal_purchase" ON "shop"."reversal" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "reversal_created_at" ON "shop"."reversal" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "reversal_open" ON "shop"."reversal" USING btree ("created_at") WHERE "shop"."reversal"."kind" = 'dispute' and "shop"."reversal"."status" in ('needs_response', 'under_review', 'warning_needs_response', 'warning_under_review');--> statement-breakpoint
CREATE UNIQUE INDEX "plan_change_open" ON "shop"."plan_change" USING btree ("subscription_id") WHERE "shop"."plan_change"."state" = 'open';--> statement-breakpoint
CREATE INDEX "subscription_account" ON "shop"."subscription" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "subscription_payer" ON "shop"."subscription" USING btree ("payer_email") WHERE "shop"."subscription"."payer_email" is not null;--> statement-breakpoint
CREATE INDEX "subscription_past_due" ON "shop"."subscription" USING btree ("period_end") WHERE "shop"."subscription"."status" = 'past_due';--> statement-breakpoint
CREATE INDEX "top_up_low" ON "shop"."top_up" USING btree ("account_id") WHERE "shop"."top_up"."state" = 'on' and "shop"."top_up"."low";--> statement-breakpoint
CREATE INDEX "top_up_on" ON "shop"."top_up" USING btree ("account_id") WHERE "shop"."top_up"."state" = 'on';--> statement-breakpoint
CREATE INDEX "top_up_customer" ON "shop"."top_up" USING btree (("saved_card" ->> 'customer'));--> statement-breakpoint
CREATE INDEX "top_up_consent_account" ON "shop"."top_up_consent" USING btree ("account_id");--> statement-breakpoint
CREATE TABLE "shop"."fraud_signal" (
	"id" text PRIMARY KEY NOT NULL,
	"payment" text NOT NULL,
	"kind" text NOT NULL,
	"is_open" boolean NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "fraud_signal_kind" CHECK ("shop"."fraud_signal"."kind" in ('early_fraud_warning', 'review'))
);
--> statement-breakpoint
CREATE INDEX "fraud_signal_payment" ON "shop"."fraud_signal" USING btree ("payment");--> statement-breakpoint
CREATE INDEX "fraud_signal_open" ON "shop"."fraud_signal" USING btree ("created_at") WHERE "shop"."fraud_signal"."is_open";
