/** The `message` of other responses of the API. Names in backticks and paths are part of the API. */
export const api = {
  'api.already_subscribed':
    'This account already has a subscription to this plan. GET /account lists it. To resume a cancelled subscription, send {resume}.',
  'api.already_subscribed.change':
    'This account already has a subscription that renews with {plan}. GET /account lists it.',
  'api.bad_credential.two': 'The request contains two payments. Send one.',
  'api.change_under_way': 'A change to {plan} is in progress. Send that change again to complete it.',
  'api.renewal_unpaid':
    'The last renewal of this plan is not paid. Nothing was changed or charged. Pay its invoice at pay_url, then send the change again. While pay_url is null, the card is about to be charged: send the change again in an hour.',
  'api.price_changed':
    'Nothing was changed or charged: {plan} costs {price} each period now, not {expected}. To accept this price, send it as price_usd.',
  'api.claim_limited':
    'Too many codes were sent for this account, to this email address or from your address. Retry after the time in Retry-After.',
  'api.claim_required':
    'This promotion requires an account with an email address. Claim the account first: POST /agent/auth/claim.',
  'api.claim_sent': 'A code was sent by email. Ask the recipient for it and send it to `complete`.',
  'api.claim_token_invalid':
    'The claim token is invalid. Send the `claim_token` of the registration, or the `identity_assertion` of the account.',
  'api.claim_unavailable': 'This shop does not send email, so accounts cannot be claimed here.',
  'api.consent_required':
    'A cardholder has to agree to these terms first. Give them `consent_url`: the page shows the terms and saves the card. Auto top-up is on once they complete it; GET /account/auto-top-up shows its state.',
  'api.no_such_page': 'There is no such page. Ask for a page from 1 to {pages}.',
  'api.not_found.call': 'This account has no such call.',
  'api.not_found.credit_plan': 'This shop sells no prepaid credit, so there is nothing to top up.',
  'api.not_found.invoice': 'This purchase has no invoice.',
  'api.not_found.key': 'This account has no such key.',
  'api.not_found.plan': 'This shop does not sell this plan. It sells: {plans}.',
  'api.not_found.purchase': 'This account has no such purchase.',
  'api.not_found.purchase_id': 'There is no purchase with this id.',
  'api.not_found.processor':
    'The card processor no longer has this subscription or payment. Nothing was changed. GET /account lists what there is.',
  'api.not_found.receipt':
    'This link does not lead to a receipt of this shop. Check that you copied all of it.',
  'api.not_found.refund_request': 'There is no refund request for this purchase.',
  'api.not_found.renewing_subscription': 'This account has no such subscription that renews.',
  'api.not_found.service': 'There is no such service. See `services`.',
  'api.not_found.subscription':
    'This account has no such running plan or subscription. GET /account lists them.',
  'api.not_paid': 'This purchase has not been paid, so there is nothing to refund.',
  'api.otp_expired': 'The code has expired or was entered wrong too often. Ask for a new one.',
  'api.otp_invalid': 'That code is wrong. Check the latest email.',
  'api.payment_declined.change': 'Nothing has changed: {reason}',
  'api.payment_pending':
    'The payment is being processed. Do not pay again. Send this exact request again, or poll `status`.',
  'api.payment_unavailable':
    'This payment method is temporarily unavailable. Nothing was or will be charged. Pay with another method, or send this request again later.',
  'api.person_required':
    'Only a person in a session of their own can do this: sign in by email at /shop/account. Keys, applications and tokens that belong to no person cannot.',
  'api.prepaid':
    'This period is prepaid and does not renew, so it cannot be cancelled or changed. Buy the next plan with `replaces`.',
  'api.previously_claimed': 'This account has already been claimed with an email address.',
  'api.promotion_limited': 'Too many invalid codes were sent. Retry after the time in Retry-After.',
  'api.promotion_redeemed': 'This account has already redeemed this promotion.',
  'api.promotion_unknown': 'This promotion code is unknown or has expired. Check the code.',
  'api.proof_of_work_invalid':
    'This proof of work is wrong, expired or already used. Solve the new one in `proof_of_work`.',
  'api.proof_of_work_required':
    'Registration currently needs a proof of work. Solve `proof_of_work` and send the request again with the solution.',
  'api.registration_limited':
    'Too many registrations from this address or its network. Retry after the time in Retry-After.',
  'api.registration_limited.today':
    'This shop has reached its limit of registrations for today. Try again tomorrow.',
  'api.registration_limited.wallets':
    'Too many new wallets from this address. Retry after the time in Retry-After.',
  'api.role_not_allowed':
    'The role {role} does not allow this. Ask an owner or admin of the account for another role.',
  'api.role_not_allowed.key':
    'The person who created this key has the role {role} now, which does not allow this. Use a key of another person, or ask an owner or admin of the account.',
  'api.signature_required':
    'Sign `sign_in.message` with the wallet as text (personal_sign), then send the message and its `signature`.',
  'api.tax.elsewhere':
    'If the buyer is elsewhere, send billing_address ({example}; in the United States with postal_code).',
  'api.tax.unknown':
    'The location of the buyer is unknown, so a card token cannot pay yet. Send billing_address ({example}; in the United States with postal_code), or pay on the card page.',
  'api.trial.given': 'The free trial is yours.',
  'api.trial.needs_proof':
    'The free trial is given once for each item of `once_per`: claim the account with an email address (`email`), pay with a card (`card`), or register with a wallet (`wallet`). Without it, buy a plan.',
  'api.trial.used':
    'There is no further free trial for this account, or for what you proved or called from. Buy a plan to call.',
  'api.too_many_declines':
    'Too many payments were declined. Wait for the time in Retry-After before you pay again.',
  'api.too_many_invitations': 'Too many invitations were sent. Retry after the time in Retry-After.',
  'api.too_many_keys': 'An account can have {keys} keys. Revoke one first.',
  'api.too_much': 'The amount exceeds what can still be refunded. See `left_usd`.',
} as const;
