/** The results of the forms on the account page. */
export const accountResults = {
  'result.no_session':
    'You are not signed in to an account in this browser any more. Sign in, or start a new account.',
  'result.session_ended':
    'You are signed out here: your session has ended, or you no longer have access to the account.',
  'result.paid': '{amount} is paid.',
  'result.paid_plan': 'Thank you. {plan} is paid: {amount} for {quantity}, renews {day}.',
  'result.paid_period': 'Thank you. {plan} is paid: {amount} for {quantity}, until {day}.',
  'result.paid_receipt': 'View receipt',
  'result.no_mail': 'This shop does not send email.',
  'result.frozen':
    'The shop has frozen your account. You can still see it and stop charges. Contact the shop.',
  'result.no_subscription':
    'This account has no such subscription that renews. Reload the page to see its subscriptions.',
  'result.key_days': 'Expires after: enter a whole number of days from 1 to 9999.',
  'result.keys_max': 'An account can have {keys} keys. Revoke one first.',
  'result.key_created': "The key {name} is created. Copy it now: you won't see it again.",
  'result.key_use': 'Send it with each request in this header. {link}.',
  'result.key_header': 'Header with the key',
  'result.key_use_link': 'See a first request',
  'result.key_label': 'Key',
  'result.key_revoked': 'The key is revoked and stops working immediately.',
  'result.no_key': 'This account has no such key. Reload the page to see its keys.',
  'result.session_signed_out': 'That browser is signed out.',
  'result.sessions_signed_out': 'All other browsers are signed out.',
  'result.session_unknown': 'You have no such sign-in, or it has ended. Reload the page to see yours.',
  'result.disconnected': 'The application is disconnected.',
  'result.not_connected': 'This application is not connected to your account.',
  'result.cancelled': '{plan} ends on {day}. You can use it until then, and the card is not charged again.',
  'result.ended': '{plan} has ended. The card is not charged for it any more.',
  'result.changed': 'Your plan is changed.',
  'result.changed_paid': 'Your plan is now {plan}. {amount} is paid.',
  'result.changed_already': 'Your plan is {plan} already. Nothing more was charged.',
  'result.changes_later':
    'Your plan changes to {plan} on {day}, for {amount}. You keep {present} until then.',
  'result.plan_kept': 'You keep {plan}. It renews on {day} for {amount}.',
  'result.price_changed':
    'The change now costs {amount} today. Nothing was charged. Open the plans again to confirm.',
  'result.plan_price_changed':
    '{plan} now costs {amount} for a period. Nothing was changed. Open the plans again to confirm.',
  'result.change_declined': 'Your plan is unchanged: {reason}',
  'result.pay_first':
    'The last renewal of your plan is not paid. Nothing was changed or charged. Pay the open invoice first.',
  'result.renewing':
    'Your plan is being renewed. Nothing was changed. You can change it when the renewal is paid, in about an hour.',
  'result.change_under_way': 'A change to another plan is being processed. Reload this page in a moment.',
  'result.not_changed': 'Your plan cannot be changed to this one. Reload the plans to see what you can do.',
  'result.card_limited':
    'Too many payments were declined or started. Nothing was charged. Try again from {when} (UTC).',
  'result.card_page_title': 'Continue to the card page',
  'result.card_page': 'The card page shows what your new card will pay for.',
  'result.card_page_link': 'Open the card page',
  'result.resumed': '{plan} renews on {day} again.',
  'result.not_resumed':
    'This account has no such subscription that can be resumed. You can buy the plan again.',
  'result.no_credit_plan': 'This shop sells no prepaid credit, so there is nothing to top up.',
  'result.top_up_on': 'Auto top-up is on.',
  'result.top_up_terms': 'A cardholder has to agree to these terms first.',
  'result.top_up_terms_link': 'Read the terms and add a card',
  'result.top_up_off': 'Auto top-up is off. No card is charged automatically any more.',
  'result.gone':
    'The card processor no longer has this subscription. Nothing was changed or charged. Reload the page in a minute.',
  'result.promotion_redeemed': 'The code {code} added {value} to your account. It never expires.',
  'result.promotion_redeemed_until': 'The code {code} added {value} to your account, usable until {day}.',
  'result.promotion_credit': '{amount} of credit',
  'result.promotion_balance': '{redeemed} Your credit is now {balance}.',
  'result.promotion_units': '{redeemed} You now have {quantity} to use.',
  'result.promotion_used': 'Your account has already used this code. It gives credit once.',
  'result.promotion_claim_first':
    'Add your email to your account first: this code is for accounts with an email address.',
  'result.promotion_unknown': 'This code does not exist or has expired. Check the spelling.',
  'result.promotion_limited': 'Too many wrong codes. Try again in some minutes.',
  'result.details_saved': 'Your billing details are saved. Your receipts show them from now on.',
  'result.details_removed': 'Your billing details are removed.',
  'result.no_portal':
    'The billing portal cannot be opened. It is for the person who pays, with the email address that was entered on the card page.',
  'result.refund_asked':
    "You asked for a refund of {amount} for {plan}. The seller has been notified. You'll see the answer here.",
  'result.refund_asked_before':
    'You have already asked for a refund of this purchase. The answer appears here.',
  'result.refund_too_much': 'At most {amount} of this purchase can be refunded. Enter a lower amount.',
  'result.refund_not_paid': 'This account has no such paid purchase.',
  'result.code_sent': 'We sent you a code. Enter it below.',
  'result.merged': 'This account is now merged into the account that you already had.',
  'result.claimed': 'Your account is saved. Sign in from any device with your email address.',
  'result.has_email': 'This account already has an email address.',
  'result.too_many_codes': 'Too many codes were sent. You can ask for another one from {when} (UTC).',
  'result.earlier_code': '{limited} The code that we sent to {email} still works.',
  'result.wrong_code': 'That code is wrong. Check the latest email.',
  'result.no_code': 'The code has expired or was entered wrong too often. Ask for a new one.',
  'result.account_frozen': 'The shop has frozen this account. Contact the shop.',
} as const;
