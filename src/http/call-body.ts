import type { IncomingMessage } from 'node:http';
import * as BodyLimit from '../catalog/body-limit.ts';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { ReadBody } from './call.ts';
import * as Body from './server/body.ts';
import type { BodyBudgets } from './server/body-budget.ts';
import type { Outgoing } from './server/outgoing.ts';
import * as Upload from './server/upload.ts';

/** Reads the body of a caller with a valid token. A body that is kept in memory takes at most half of its account's share. */
export function readKnown(
  { catalog }: Pick<CatalogContext, 'catalog'>,
  { known }: BodyBudgets,
  incoming: IncomingMessage,
  outgoing: Outgoing,
): ReadBody {
  return (account, operation, hasKey) => {
    const bytesMax = BodyLimit.bodyBytesMax(catalog.upstream, operation);
    const reservation = known.open(account).freeWith(outgoing);
    if (BodyLimit.streamsBody(operation, hasKey))
      return Upload.readOrStream(incoming, { bytesMax, reservation });
    const wholeMax = Math.max(Body.bodyBytesMax, Math.floor(known.ownerBytesMax / 2));
    return Body.readBody(incoming, { bytesMax: Math.min(bytesMax, wholeMax), reservation });
  };
}
