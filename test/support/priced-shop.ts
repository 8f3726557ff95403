import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as Facilitator from '../../src/adapters/facilitator.ts';
import * as ExactEvm from '../../src/payment/x402/exact-evm.ts';
import * as Network from '../../src/payment/x402/network.ts';
import * as Payload from '../../src/payment/x402/payload.ts';
import * as PaymentRequired from '../../src/payment/x402/payment-required.ts';
import * as Resource from '../../src/payment/x402/resource.ts';
import * as X402Response from '../../src/payment/x402/response.ts';
import { freePort } from './program.ts';

/** One thing for half a dollar, by x402: verified here, settled by a facilitator. No accounts, no orders. */
export async function open(facilitatorUrl: string): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort();
  const facilitator = Facilitator.open({ url: facilitatorUrl });
  const url = `http://127.0.0.1:${port}/thing`;
  const resource = Resource.of({ url, description: 'A thing', serviceName: 'Things' });
  const priced = {
    amount: 500_000n,
    payTo: '0x00000000000000000000000000000000000000aa',
    maxTimeoutSeconds: 120,
  };
  const requirements = [{ network: Network.baseSepolia, ...priced }];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    const ask = (error: string) => {
      const required = { error, resource, requirements };
      response.writeHead(402, {
        'content-type': 'application/json',
        'payment-required': PaymentRequired.header(required),
      });
      response.end(JSON.stringify(PaymentRequired.legacyBody(required)));
    };
    const { 'payment-signature': paymentSignature = [], 'x-payment': xPayment = [] } =
      request.headersDistinct;
    const reading = Payload.read({ paymentSignature, xPayment });
    if (reading.kind !== 'payload') return ask(reading.kind);
    const checked = ExactEvm.check(reading, { resourceUrl: url, requirements }, Date.now());
    if (typeof checked === 'string') return ask(checked);
    if (!ExactEvm.isSigned(checked)) return ask('x402_signer');
    const settlement = await facilitator.settle(checked, resource);
    if (settlement.kind === 'failed') return ask(settlement.reason);
    const settled = settlement.kind === 'succeeded';
    const [name, value] = X402Response.field(
      reading,
      checked.requirement,
      settled ? settlement.transaction : '',
    );
    response.writeHead(settled ? 200 : 202, { 'content-type': 'application/json', [name]: value });
    response.end(JSON.stringify({ success: settled }));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url,
    async close() {
      server.close();
      server.closeAllConnections();
      await facilitator.close();
    },
  };
}
