import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublic } from '@sluice/kernel/public-address';

/** Resolves a name to public addresses only, so that no document can be in the shop's own network (SSRF, DNS rebinding). */
export const publicOnly: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (fault, addresses) => {
    if (fault) return callback(fault, '', 4);
    const [first] = addresses;
    if (!first || !addresses.every(({ address }) => isPublic(address)))
      return callback(Object.assign(new Error('not a public address'), { code: 'EPRIVATE' }), '', 4);
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};
