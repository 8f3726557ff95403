/** The `message` of errors that a call of a sold operation, or any request, may get. Names in backticks and paths are part of the API. */
export const apiCalls = {
  'api.account_frozen':
    'The shop has frozen your account. You can still read it and its credit is kept, but you cannot call, buy or change anything. Contact the shop.',
  'api.answer_not_kept':
    'The first request with this Idempotency-Key succeeded and was charged, but its response was too large to be stored. Use a new key to make a new call.',
  'api.bearer_required': 'Send an access token. Registration is one free request: see `registration`.',
  'api.body_not_allowed':
    'A {method} request must not have a body. Nothing was charged. Put the parameters into the query.',
  'api.body_too_large': 'The body is too large. Send at most {bytes} bytes.',
  'api.body_too_slow': 'The body did not arrive in time. Send the request again.',
  'api.budget_exhausted':
    'This call may cost more than is left of the spending limit of your key. Nothing was charged. Raise the limit or use another key.',
  'api.budget_exhausted.counted_more':
    'The response is worth more than was reserved for it, and more than is left of the spending limit of your key. It was not delivered and nothing was charged. State in the request how many {units} you want.',
  'api.budget_exhausted.unclear_size':
    'The request does not clearly state how many {units} it asks for, so the maximum of this operation has to be reserved, which costs more than is left of the spending limit of your key. Nothing was charged. Send the number once, as a plain JSON integer.',
  'api.budget_exhausted.usage':
    'This call may cost up to {required}, which is more than is left of the spending limit of your key. Nothing was charged. Lower the most that the request can use, such as its maximum of output tokens, raise the limit or use another key.',
  'api.budget_exhausted.unpaid_calls':
    'This account disconnected from several calls before their responses arrived, or could not pay for them, so for a while the maximum cost of an operation has to be reserved, which is more than is left of the spending limit of your key. Nothing was charged. Retry later.',
  'api.busy': 'Too many calls are waiting. Nothing was charged. Retry in a second.',
  'api.busy.bodies': 'The server is reading too many request bodies. Nothing was charged. Retry in a second.',
  'api.credit_exhausted':
    'Not enough credit: this call may cost up to {required}, and you have {available}. Ask for fewer {units}, or buy one of `plans`.',
  'api.credit_exhausted.counted_more':
    'The response is worth more than was reserved for it, and more than you have left. It was not delivered and nothing was charged. State in the request how many {units} you want, or buy one of `plans`.',
  'api.credit_exhausted.usage':
    'Not enough credit: this call may cost up to {required}, and you have {available}. Lower the most that the request can use, such as its maximum of output tokens, or buy one of `plans`.',
  'api.credit_exhausted.usage.unclear_size':
    'The request does not clearly state the most that it can use, so the maximum of this operation has to be reserved: {required}, and you have {available}. Nothing was charged. Send the limit once, as a plain JSON integer, such as a maximum of output tokens, or buy one of `plans`.',
  'api.credit_exhausted.unclear_size':
    'The request does not clearly state how many {units} it asks for, so the maximum of this operation has to be reserved, which costs more than you have left. Nothing was charged. Send the number once, as a plain JSON integer, or buy one of `plans`.',
  'api.credit_exhausted.unpaid_calls':
    'This account disconnected from several calls before their responses arrived, or could not pay for them, so for a while the maximum cost of an operation has to be reserved, which is more than you have left. Nothing was charged. Retry later, or buy one of `plans`.',
  'api.credit_in_flight':
    'Your credit is enough, but running calls have reserved it. Retry when they have finished.',
  'api.trial_paused':
    'The free trials of all accounts have used up what the seller gives in an hour. Nothing was charged. Retry after the time in Retry-After, or buy a plan of `plans` and call at once.',
  'api.idempotency_exhausted':
    'This account has used all Idempotency-Keys of today (UTC). Nothing was charged. Send the call without a key, or wait until tomorrow.',
  'api.idempotency_in_flight':
    'The first request with this Idempotency-Key is still running. Send it again to get its response.',
  'api.idempotency_mismatch':
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  'api.internal':
    'An internal error occurred. If it happens again, contact the shop and quote the request_id.',
  'api.invalid_request': 'Invalid request: {problems}',
  'api.invalid_request.more': 'Invalid request: {problems} (and {more} more)',
  'api.malformed_text': 'The request has text with the character U+0000. Send it without that character.',
  'api.key_not_allowed':
    'Your key is not allowed to call this service. Use a key that covers it: see `services`.',
  'api.key_not_allowed.account': 'A key cannot do this. Send an access token of the account.',
  'api.key_not_allowed.keys': 'A key cannot manage keys. Send an access token of the account.',
  'api.ledger_unavailable':
    'The ledger is temporarily unavailable. Nothing was charged. Retry in a few seconds.',
  'api.ledger_unavailable.in_doubt':
    'The ledger became unavailable while this call was charged. Send it again with the same Idempotency-Key: it is charged at most once.',
  'api.method_not_allowed': 'Use one of these methods: {methods}.',
  'api.not_json': 'The body is not valid JSON. Send an object with `Content-Type: application/json`.',
  'api.plan_required': 'None of your active plans covers this operation. Buy one of `plans` and call again.',
  'api.price_ceiling':
    'This call may cost more than your Storefront-Max-Cost allows. Nothing was charged. Raise the limit or ask for less.',
  'api.price_ceiling.counted_more':
    'The response is worth more than was reserved for it, and more than your Storefront-Max-Cost allows. It was not delivered and nothing was charged. State in the request how many {units} you want.',
  'api.price_ceiling.unclear_size':
    'The request does not clearly state how many {units} it asks for, so the maximum of this operation has to be reserved, which costs more than your Storefront-Max-Cost allows. Nothing was charged. Send the number once, as a plain JSON integer.',
  'api.price_ceiling.usage':
    'This call may cost up to {required}, which is more than your Storefront-Max-Cost allows. Nothing was charged. Lower the most that the request can use, such as its maximum of output tokens, or raise the limit.',
  'api.price_ceiling.unpaid_calls':
    'This account disconnected from several calls before their responses arrived, or could not pay for them, so for a while the maximum cost of an operation has to be reserved, which is more than your Storefront-Max-Cost allows. Nothing was charged. Retry later.',
  'api.price_unknown':
    'The request names no price at {at}. Nothing was charged. Send one of the values in `known`.',
  'api.price_unknown.unclear':
    'The value at {at} decides the price, and it could be read in more than one way. Nothing was charged. Send it once, spelled exactly, in a body without a content coding.',
  'api.rate_limited': 'Too many calls to this operation in one second. Retry after the time in Retry-After.',
  'api.rate_limited.address': 'Too many requests from this address. Retry after the time in Retry-After.',
  'api.rate_limited.proofs': 'Too many proofs from this address. Retry after the time in Retry-After.',
  'api.rate_limited.signatures':
    'Too many signatures from this address. Retry after the time in Retry-After.',
  'api.response_uncountable':
    'The service responded successfully, but its response cannot be counted. It was not delivered and nothing was charged. The seller has been notified. Ask for the usual JSON format, or retry.',
  'api.resource_not_found': 'This account has no such resource.',
  'api.ownership_unclear':
    'The service responded successfully, but the owner of the resources in its response cannot be determined. It was not delivered and nothing was charged. The seller has been notified.',
  'api.too_many_resources':
    'This account has as many resources as one account may have. Nothing was charged. Delete some, or ask the seller.',
  'api.stream_ended.account_frozen':
    'The stream ended early: the seller has frozen this account. You were charged for what you received. Contact the seller.',
  'api.stream_ended.budget_exhausted':
    'The stream ended early: the rest of it may cost more than is left of the spending limit of your key. You were charged for what you received. Raise the limit or use another key.',
  'api.stream_ended.credit_exhausted':
    'The stream ended early: your credit is used up. You were charged for what you received. Buy a plan or top up, and call again.',
  'api.stream_ended.credit_in_flight':
    'The stream ended early: running calls have reserved the rest of your credit. You were charged for what you received. Call again when they have finished.',
  'api.stream_ended.role_not_allowed':
    'The stream ended early: the role of the person does not allow calls any more. You were charged for what you received. Ask an owner of the account.',
  'api.stream_ended.token_invalid':
    'The stream ended early: its token was revoked. You were charged for what you received. Call again with another token.',
  'api.stream_ended.trial_paused':
    'The stream ended early: the free trials of all accounts have used up what the seller gives in an hour. Call again in an hour, or buy a plan.',
  'api.stream_ended.ledger_unavailable':
    'The stream ended early: the ledger is temporarily unavailable. You were charged for what you received. Call again in a few seconds.',
  'api.stream_ended.plan_required':
    'The stream ended early: none of your active plans covers this operation any more. You were charged for what you received. Buy a plan and call again.',
  'api.stream_ended.price_ceiling':
    'The stream ended early: the rest of it may cost more than your Storefront-Max-Cost allows. You were charged for what you received. Raise the limit or ask for less.',
  'api.token_invalid':
    'This access token is invalid or has been revoked. Exchange your assertion or register again: see `registration`.',
  'api.too_many_calls_under_way':
    'Too many calls of this account are running or waiting. Nothing was charged. Wait for responses before you send more.',
  'api.too_many_uncountable':
    'Too many responses of this operation could not be counted, so you did not get them and were not charged. Ask for the usual JSON format, and retry after the time in Retry-After.',
  'api.too_many_unpaid':
    'This account disconnected from too many calls before their responses arrived, so the seller paid for them. Wait, then stay connected until each response arrives.',
  'api.unavailable': 'A service that this request needs is temporarily unavailable. Retry in a few seconds.',
  'api.unsupported_media_type': 'Send JSON with `Content-Type: application/json`.',
  'api.unsupported_media_type.compressed':
    'Compressed request bodies are not supported. Send the body without `Content-Encoding`.',
  'api.upgrade_malformed':
    'The WebSocket handshake is incomplete. Send GET with Sec-WebSocket-Key and Sec-WebSocket-Version: 13.',
  'api.upgrade_not_supported':
    'This operation is no WebSocket. Nothing was charged. Send the request without the Upgrade header.',
  'api.upgrade_required':
    'This operation is a WebSocket. Nothing was charged. Open it with a WebSocket client and the same token.',
  'api.upstream_refused':
    'The service behind this shop rejects its requests. Nothing was charged. The operator has been notified. Retry later.',
  'api.upstream_timeout':
    'The service behind this shop did not respond in time. Nothing was charged. Try again.',
  'api.upstream_unavailable':
    'The service behind this shop did not send a usable response. Nothing was charged. Try again.',
  'api.request_too_slow': 'The request did not arrive in time. Send it again.',
  'api.chunks_too_large': 'The chunk extensions of the body are too long. Send the body without them.',
  'api.uri_too_long': 'The request target is longer than 16 KiB. Send its data in the body.',
  'api.expectation_failed': 'The header `Expect` allows only 100-continue. Send the request without it.',
  'api.headers_too_large':
    'The request line and the headers are longer than 16 KiB. Send fewer or shorter headers.',
  'api.malformed_request':
    'The request could not be parsed as HTTP/1.1. Check its request line, headers and framing.',
  'api.not_found': 'This shop has no such path. See `links.services`.',
} as const;
