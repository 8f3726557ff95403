/** Signing in, connecting an application, and cancelling a plan as its payer. */
export const signInPages = {
  'sign_in.new': 'New here',
  'sign_in.new_text': 'Start with one click: no card, no email.',
  'sign_in.by_email': 'Sign in by email',
  'sign_in.by_email_text': "If your account has an email address, we'll email you a sign-in link.",
  'sign_in.email': 'Your email address',
  'sign_in.send_link': 'Send me a link',
  'sign_in.plan_links': 'Cancel a plan without the account',
  'sign_in.plan_links_text':
    "If you pay for a plan and cannot sign in to its account, we'll email you a link that cancels it. Use the address that you entered on the card page.",
  'sign_in.payer_email': 'The email address of the payment',
  'sign_in.send_plan_links': 'Send me the link',
  'sign_in.by_token': 'Sign in with a token',
  'sign_in.by_token_text':
    'For programs: {request} returns an identity assertion, and the page after a payment shows it as the recovery token.',
  'sign_in.assertion': 'Identity assertion',
  'sign_in.submit': 'Sign in',
  'sign_in.check_email': 'Check your email',
  'sign_in.sent': 'We sent an email to {email}.',
  'sign_in.open_link': {
    one: 'Open its link in this browser within {count} minute. It works once.',
    other: 'Open its link in this browser within {count} minutes. It works once.',
  },
  'sign_in.nothing_there': 'Nothing there? Look in spam, or {link}.',
  'sign_in.try_again': 'try again',
  'sign_in.plan_links_sent':
    'If {email} pays for a plan here, we sent it an email with a link for each plan.',
  'sign_in.plan_links_next': 'Open a link to cancel its plan. You can ask for another email in ten minutes.',
  'sign_in.link_here': 'You asked for this link in this browser.',
  'sign_in.link_elsewhere':
    'This link was requested in another browser. If that was you, enter the address that it was sent to. If someone else sent you the link, close this page: you would sign in to an account that is not yours.',
  'sign_in.link_email': 'Email address that received the link',
  'sign_in.other_account':
    'This browser is already signed in to another account, {account}. To keep it, {link} first: with the same address, it is merged into your account.',
  'sign_in.other_account_link': 'add your email to it',
  'sign_in.assertion_refused': 'This identity assertion was not accepted: {reason}.',
  'sign_in.no_mail': 'This shop does not send email. Sign in with a token.',
  'sign_in.invalid_email': 'Enter a valid email address.',
  'sign_in.too_many_links': 'Too many sign-in links were sent. Try again later, or sign in with a token.',
  'sign_in.link_used': 'This link has expired or was already used. Ask for a new link.',
  'sign_in.wrong_email': 'This link was not sent to that address. Check the address.',

  'connect.title': 'Connect an application',
  'connect.heading': 'Connect {application}',
  'connect.asks':
    "{application} asks to use this shop for you. It can call what is sold here, spend the account's credit, buy with a payment that you approve, and see usage. It cannot charge a card without your consent.",
  'connect.returns':
    'The application chose this name itself. After your decision the browser returns to {address}.',
  'connect.account': 'Your account',
  'connect.account_id': 'Account',
  'connect.balance': 'Balance',
  'connect.allow': 'Allow',
  'connect.refuse': 'Refuse',
  'connect.end_any_time': 'You can end the connection on your account page at any time.',
  'connect.new_account': 'A new account needs no card and no email.',
  'connect.new_account_trial':
    'A new account needs no card and no email, and starts with {quantity} for free.',
  'connect.start': 'Start free and allow',
  'connect.open': 'Open an account and allow',
  'connect.by_email_text':
    'If you claimed your account with an email address, a link signs you in and brings you back here.',
  'connect.by_assertion': 'Sign in with an identity assertion',
  'connect.unusable': 'This application cannot be connected',
  'connect.unusable_text':
    'The mistake is in the address that the application opened. Nothing has been granted.',
  'connect.too_long': 'The request is too long.',
  'connect.too_many_accounts':
    'Too many accounts were created from your network. Sign in, or try again later.',
  'connect.signed_out': 'This browser is no longer signed in. Sign in and try again.',
  'connect.frozen': 'This account is frozen. Contact the shop.',
  'connect.choose': 'Choose whether to allow or to refuse.',

  'payer.title': 'Cancel a plan',
  'payer.no_mail': 'This shop does not send email. Write to its contact address instead.',
  'payer.plan_title': 'Your plan',
  'payer.plan': 'The plan {plan}',
  'payer.pay_invoice': 'Pay the open invoice',
  'payer.cancel': 'Cancel the plan',
  'payer.ended': 'This plan has ended. Your card is not charged for it any more.',
  'payer.ends': 'This plan is cancelled and ends on {day}. Your card is not charged again.',
  'payer.past_due': 'The last renewal could not be paid. Your card will be charged again.',
  'payer.renews': 'This plan renews on {day}. Your card is charged then.',
} as const;
