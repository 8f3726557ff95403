import { checkResponses } from './audit-answers.ts';
import { checkDocuments } from './audit-documents.ts';
import { checkOpenApi } from './audit-openapi.ts';
import type { Finding, HttpClient } from './http-client.ts';

/** The information that a crawler finds and misses in a shop. */
export type AuditReport = {
  shop: string;
  /** Number of operations, of operations with a price, and of pages of the description. */
  found: { operations: number; priced: number; pages: number };
  findings: readonly Finding[];
};

/**
 * Audits a shop as a crawler sees it: all pages of its description, its texts and well-known documents, and its responses to requests
 * without a token or a payment. Buys nothing and follows no link to another origin.
 * @param origin without a trailing slash
 */
export async function audit(client: HttpClient, origin: string): Promise<AuditReport> {
  const { operations, pages, findings } = await checkOpenApi(client, origin);
  const parts = [
    findings,
    await checkDocuments(client, origin, operations),
    await checkResponses(client, origin, operations),
  ];
  const priced = operations.filter(({ payment }) => payment !== null).length;
  return { shop: origin, found: { operations: operations.length, priced, pages }, findings: parts.flat() };
}
