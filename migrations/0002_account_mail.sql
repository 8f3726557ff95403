CREATE TABLE "shop"."account_mail" (
	"key" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"queued_at" timestamp with time zone,
	CONSTRAINT "account_mail_kind" CHECK ("shop"."account_mail"."kind" in ('paid', 'refunded', 'unpaid', 'low'))
);
--> statement-breakpoint
CREATE INDEX "account_mail_to_queue" ON "shop"."account_mail" USING btree ("created_at") WHERE "shop"."account_mail"."queued_at" is null;