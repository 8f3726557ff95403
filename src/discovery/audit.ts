import * as AuditAnswers from './audit-answers.ts';
import * as AuditDocuments from './audit-documents.ts';
import * as AuditOpenapi from './audit-openapi.ts';
import type { Finding, Visit } from './visit.ts';

/** What a crawler would find of a shop, and what it would miss. */
export type Report = {
  shop: string;
  /** What was found: operations, those with a price, pages of the description. */
  found: { operations: number; priced: number; pages: number };
  findings: readonly Finding[];
};

/**
 * Looks at a shop as a crawler does: its description to the last page, its texts and well-known addresses, and what it
 * answers to those who come without a token or a payment. Buys nothing, and follows no link to another origin.
 * @param origin without a slash at its end
 */
export async function run(visit: Visit, origin: string): Promise<Report> {
  const { operations, pages, findings } = await AuditOpenapi.check(visit, origin);
  const parts = [
    findings,
    await AuditDocuments.check(visit, origin, operations),
    await AuditAnswers.check(visit, origin, operations),
  ];
  const priced = operations.filter(({ payment }) => payment !== null).length;
  return { shop: origin, found: { operations: operations.length, priced, pages }, findings: parts.flat() };
}
