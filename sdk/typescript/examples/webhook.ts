// Receives webhooks: verifies each, and handles each message once. Any server with `Request` and `Response` can call `receive`.
//   WEBHOOK_SECRET=whsec_... deno serve examples/webhook.ts
import { verifyWebhook, WebhookVerificationError } from 'sluice-client';

const secret = process.env.WEBHOOK_SECRET ?? '';
/** A shop keeps the ids in its database. */
const handled = new Set<string>();

export async function receive(request: Request): Promise<Response> {
  try {
    // The signature covers the bytes as they arrived, so the body must not be parsed before.
    const { id, payload } = await verifyWebhook(await request.text(), request.headers, secret);
    if (!handled.has(id)) console.log(id, payload);
    handled.add(id);
    return new Response(null, { status: 204 });
  } catch (fault) {
    if (!(fault instanceof WebhookVerificationError)) throw fault;
    return new Response(fault.message, { status: 400 });
  }
}

export default { fetch: receive };
