import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLinkLocal, isPublic } from '@sluice/kernel/public-address';

/** Resolves a name to public addresses only, so that no document can be in the shop's own network (SSRF, DNS rebinding). */
export const publicOnly: LookupFunction = lookupOf(isPublic);

/** Resolves a name to addresses that are not link-local: clouds serve the credentials of a machine there. */
export const notLinkLocal: LookupFunction = lookupOf((address) => !isLinkLocal(address));

function lookupOf(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (fault, addresses) => {
      if (fault) return callback(fault, '', 4);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowed(address)))
        return callback(Object.assign(new Error('the address is not allowed'), { code: 'EPRIVATE' }), '', 4);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
