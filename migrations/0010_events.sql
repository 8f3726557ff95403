CREATE TABLE "shop"."credit_check" (
	"writer_id" text PRIMARY KEY NOT NULL,
	"epoch" bigint NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."credit_level" (
	"account_id" text NOT NULL,
	"asset" text NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'enough' NOT NULL,
	"basis" bigint NOT NULL,
	"grants" bigint DEFAULT 1 NOT NULL,
	"refused" boolean DEFAULT false NOT NULL,
	CONSTRAINT "credit_level_pkey" PRIMARY KEY("account_id","asset","kind"),
	CONSTRAINT "credit_level_state" CHECK ("shop"."credit_level"."state" in ('enough', 'low', 'exhausted'))
);
--> statement-breakpoint
CREATE TABLE "shop"."event" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shop"."event_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text DEFAULT 'evt_' || replace(gen_random_uuid()::text, '-', '') NOT NULL,
	"key" text NOT NULL,
	"type" text NOT NULL,
	"account_id" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"data" jsonb NOT NULL,
	"position" bigint,
	CONSTRAINT "event_id" UNIQUE("id"),
	CONSTRAINT "event_key" UNIQUE("key"),
	CONSTRAINT "event_position" UNIQUE("position")
);
--> statement-breakpoint
CREATE TABLE "shop"."event_delivery" (
	"endpoint_id" text NOT NULL,
	"position" bigint NOT NULL,
	"account_id" text NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"attempts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "event_delivery_pkey" PRIMARY KEY("endpoint_id","position"),
	CONSTRAINT "event_delivery_state" CHECK ("shop"."event_delivery"."state" in ('waiting', 'delivered', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "shop"."event_endpoint" (
	"id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"types" text[],
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_until" timestamp with time zone,
	"state" text DEFAULT 'on' NOT NULL,
	"reason" text,
	"failing_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "event_endpoint_state" CHECK ("shop"."event_endpoint"."state" in ('on', 'disabled'))
);
--> statement-breakpoint
CREATE TABLE "shop"."event_head" (
	"id" boolean PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."event_lane" (
	"endpoint_id" text NOT NULL,
	"account_id" text NOT NULL,
	"due_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"lease" text,
	CONSTRAINT "event_lane_pkey" PRIMARY KEY("endpoint_id","account_id")
);
--> statement-breakpoint
ALTER TABLE "shop"."subscription" ADD COLUMN "end_noted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shop"."event_delivery" ADD CONSTRAINT "event_delivery_endpoint" FOREIGN KEY ("endpoint_id") REFERENCES "shop"."event_endpoint"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."event_lane" ADD CONSTRAINT "event_lane_endpoint" FOREIGN KEY ("endpoint_id") REFERENCES "shop"."event_endpoint"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credit_level_refused" ON "shop"."credit_level" USING btree ("account_id") WHERE "shop"."credit_level"."refused";--> statement-breakpoint
CREATE INDEX "event_unpublished" ON "shop"."event" USING btree ("seq") WHERE "shop"."event"."position" is null;--> statement-breakpoint
CREATE INDEX "event_account" ON "shop"."event" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "event_at" ON "shop"."event" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "event_delivery_waiting" ON "shop"."event_delivery" USING btree ("endpoint_id","account_id","position") WHERE "shop"."event_delivery"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "event_delivery_failed" ON "shop"."event_delivery" USING btree ("updated_at") WHERE "shop"."event_delivery"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "event_delivery_position" ON "shop"."event_delivery" USING btree ("position");--> statement-breakpoint
CREATE INDEX "event_lane_due" ON "shop"."event_lane" USING btree ("endpoint_id","due_at");--> statement-breakpoint
CREATE INDEX "subscription_to_end" ON "shop"."subscription" USING btree ("period_end") WHERE not "shop"."subscription"."end_noted" and "shop"."subscription"."processor_id" is null;