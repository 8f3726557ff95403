import type { IncomingMessage } from 'node:http';
import * as AddressBlock from '../../identity/address-block.ts';

const forwardedFields = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const;

/** Returns true when a proxy on this machine forwarded the request, so that the connection's address is not the caller's. */
export function isForwardedLocally(incoming: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  return (
    AddressBlock.isLoopback(incoming.socket.remoteAddress ?? '') &&
    forwardedFields.some((name) => incoming.headers[name] !== undefined)
  );
}

/** Reports once per process that requests come through a local proxy while `CLIENT_ADDRESS_HEADER` is not set. */
export function createProxyWatch(
  clientAddressHeader: string | null,
  report: (event: string, detail: Readonly<Record<string, unknown>>) => void,
): (incoming: IncomingMessage) => void {
  let isReported = clientAddressHeader !== null;
  return (incoming) => {
    if (isReported || !isForwardedLocally(incoming)) return;
    isReported = true;
    report('client_address_unknown', {
      next: 'set CLIENT_ADDRESS_HEADER to the header in which your proxy sends the address of the caller (docs/operations.md); until then all callers share one rate limit',
    });
  };
}
