CREATE TABLE "shop"."catalog_publication" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shop"."catalog_publication_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"who" text NOT NULL,
	"digest" text NOT NULL,
	"text" text NOT NULL,
	"text_before" text NOT NULL,
	"note" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop"."operator" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"oidc_subject" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "operator_email" UNIQUE("email"),
	CONSTRAINT "operator_oidc_subject" UNIQUE("oidc_subject"),
	CONSTRAINT "operator_role" CHECK ("shop"."operator"."role" in ('owner', 'finance', 'support', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "shop"."operator_invitation" (
	"digest" text PRIMARY KEY NOT NULL,
	"operator_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "shop"."operator_passkey" (
	"id" text PRIMARY KEY NOT NULL,
	"operator_id" text NOT NULL,
	"public_key" text NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"name" text NOT NULL,
	"is_backed_up" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "shop"."operator_session" (
	"digest" text PRIMARY KEY NOT NULL,
	"operator_id" text NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"used_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shop"."operator_invitation" ADD CONSTRAINT "operator_invitation_operator_id" FOREIGN KEY ("operator_id") REFERENCES "shop"."operator"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."operator_passkey" ADD CONSTRAINT "operator_passkey_operator_id" FOREIGN KEY ("operator_id") REFERENCES "shop"."operator"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shop"."operator_session" ADD CONSTRAINT "operator_session_operator_id" FOREIGN KEY ("operator_id") REFERENCES "shop"."operator"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operator_invitation_operator" ON "shop"."operator_invitation" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_passkey_operator" ON "shop"."operator_passkey" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_session_operator" ON "shop"."operator_session" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_session_expires_at" ON "shop"."operator_session" USING btree ("expires_at");--> statement-breakpoint
-- Hand-written from here on.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON shop.catalog_publication FOR EACH ROW EXECUTE FUNCTION shop.refuse_change();
--> statement-breakpoint
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON shop.catalog_publication FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change();
