CREATE TABLE "shop"."member_session" (
	"id" text PRIMARY KEY NOT NULL,
	"member_id" text NOT NULL,
	"device" text,
	"started_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shop"."member_session" ADD CONSTRAINT "member_session_member_id" FOREIGN KEY ("member_id") REFERENCES "shop"."member"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "member_session_member" ON "shop"."member_session" USING btree ("member_id");--> statement-breakpoint
CREATE INDEX "member_session_expires_at" ON "shop"."member_session" USING btree ("expires_at");--> statement-breakpoint
-- Hand-written: the sessions that were listed until now. A session that has begun earlier is added when its browser shows the account again.
INSERT INTO "shop"."member_session" (id, member_id, device, started_at, expires_at)
  SELECT DISTINCT ON (e.detail ->> 'session') e.detail ->> 'session', m.id, e.detail ->> 'device', e.at, clock_timestamp() + interval '90 days'
    FROM shop.account_event e JOIN shop.member m ON m.account_id = e.account_id AND m.email = e.who AND m.joined_at <= e.at
    WHERE e.act = 'signed_in' AND e.detail ? 'session' AND e.at > clock_timestamp() - interval '90 days'
      AND NOT EXISTS (SELECT FROM shop.revocation r WHERE r.id = e.detail ->> 'session')
    ORDER BY e.detail ->> 'session', e.id DESC;
--> statement-breakpoint
-- These functions have another parameter now; the next step creates them again.
DROP FUNCTION IF EXISTS shop.remove_operator_passkey(text, text, text), shop.has_owner(text), shop.is_last_owner(text), shop.set_operator_role(text, text, text),
  shop.remove_operator(text, text);
