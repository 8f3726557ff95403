export type * from './account-records.ts';
export { type Charge, charge } from './charge.ts';
export type { Clock } from './clock.ts';
export type { CallOptions } from './connection.ts';
export type * from './enums.ts';
export type { PartialList } from './errors.ts';
export {
  APIConnectionError,
  APIStatusError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  type FieldError,
  InsufficientRecordsError,
  NotFoundError,
  PaymentDeclinedError,
  PlanRequiredError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  SluiceError,
  StreamError,
  ValidationError,
  WebhookVerificationError,
} from './errors.ts';
export type { StreamEvent } from './event-decoder.ts';
export type * from './filters.ts';
export type { Industry } from './industry.ts';
export type * from './namespaces/enrichment.ts';
export type * from './namespaces/jobs.ts';
export type * from './namespaces/search.ts';
export type * from './namespaces/utils.ts';
export type { CountedPage, CursorPage, PagePromise } from './page.ts';
export type * from './real-time-profile.ts';
export type * from './records.ts';
export type { ConnectionOptions, Renewal, ResponseInfo, SluiceOptions } from './settings.ts';
export { Sluice } from './sluice.ts';
export type { PaymentFields, PurchaseFields, QuoteFields } from './storefront.ts';
export type * from './storefront-records.ts';
export { EventStream, type StreamOptions } from './stream.ts';
export { verifyWebhook, type Webhook, type WebhookHeaders, type WebhookOptions } from './webhook.ts';
