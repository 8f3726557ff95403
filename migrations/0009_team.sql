CREATE TABLE "shop"."account_event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shop"."account_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"who" text NOT NULL,
	"act" text NOT NULL,
	"subject" text NOT NULL,
	"detail" jsonb
);
--> statement-breakpoint
CREATE TABLE "shop"."invitation" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"digest" text NOT NULL,
	"invited_by" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"sent_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "invitation_digest" UNIQUE("digest"),
	CONSTRAINT "invitation_role" CHECK ("shop"."invitation"."role" in ('owner', 'admin', 'billing', 'developer', 'viewer')),
	CONSTRAINT "invitation_state" CHECK ("shop"."invitation"."state" in ('open', 'accepted', 'declined', 'withdrawn'))
);
--> statement-breakpoint
CREATE TABLE "shop"."member" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"joined_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"used_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "member_person" UNIQUE("account_id","email"),
	CONSTRAINT "member_role" CHECK ("shop"."member"."role" in ('owner', 'admin', 'billing', 'developer', 'viewer'))
);
--> statement-breakpoint
ALTER TABLE "shop"."account" ADD COLUMN "token_epoch" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "shop"."key" ADD COLUMN "member_id" text;--> statement-breakpoint
ALTER TABLE "shop"."sign_in" ADD COLUMN "invitation_id" text;--> statement-breakpoint
ALTER TABLE "shop"."oauth_grant" ADD COLUMN "member_id" text;--> statement-breakpoint
ALTER TABLE "shop"."invitation" ADD CONSTRAINT "invitation_account_id" FOREIGN KEY ("account_id") REFERENCES "shop"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."member" ADD CONSTRAINT "member_account_id" FOREIGN KEY ("account_id") REFERENCES "shop"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_event_account" ON "shop"."account_event" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "account_event_at" ON "shop"."account_event" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_open" ON "shop"."invitation" USING btree ("account_id","email") WHERE "shop"."invitation"."state" = 'open';--> statement-breakpoint
CREATE INDEX "invitation_account" ON "shop"."invitation" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "invitation_email" ON "shop"."invitation" USING btree ("email");--> statement-breakpoint
CREATE INDEX "invitation_expires_at" ON "shop"."invitation" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "member_email" ON "shop"."member" USING btree ("email");--> statement-breakpoint
-- Hand-written from here on. These functions get parameters or columns of their result; the next step creates them again.
DROP FUNCTION IF EXISTS shop.make_key(text, text, text, text, text, bigint, text[], timestamptz, integer);
--> statement-breakpoint
DROP FUNCTION IF EXISTS shop.end_key(text, text);
--> statement-breakpoint
DROP FUNCTION IF EXISTS shop.begin_sign_in(text, text, text, text[], integer[], integer[], text, text, timestamptz, integer, integer);
--> statement-breakpoint
DROP FUNCTION IF EXISTS shop.complete_sign_in(text, text, text, integer);
--> statement-breakpoint
DROP FUNCTION IF EXISTS shop.complete_claim(text, text, integer, text, bigint, text, bigint, text[], text);
--> statement-breakpoint
-- Each person who claimed an account owns it.
INSERT INTO shop.member (id, account_id, email, role, joined_at)
  SELECT 'mem_' || replace(gen_random_uuid()::text, '-', ''), coalesce(joined_to, id), email, 'owner', coalesce(claimed_at, created_at)
    FROM shop.account WHERE email IS NOT NULL;
