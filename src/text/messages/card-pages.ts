/** Cards that are charged without a card page: a change to a dearer plan, and automatic charges with the terms that a cardholder agrees to, on the shop's page and on the card page. */
export const cardPages = {
  'consent.sentence':
    'You allow {shop} to charge this card {amount} automatically, without asking you, each time the credit of account {account} falls below {below}: at most {monthly_max} in a calendar month (UTC), until you cancel it. If it is below {below} when you save the card, {amount} is charged at once. You can cancel it at any time.',
  'consent.sentence_taxed':
    'You allow {shop} to charge this card {amount} automatically, without asking you, each time the credit of account {account} falls below {below}: at most {monthly_max} in a calendar month (UTC), until you cancel it. If it is below {below} when you save the card, {amount} is charged at once. Tax for your country is added to each charge. You can cancel it at any time.',
  'consent.each_charge': 'Each charge',
  'consent.each_charge_taxed': '{amount} and tax for your country',
  'consent.when': 'When',
  'consent.below': 'Each time the credit of the account falls below {below}',
  'consent.monthly_max': 'At most',
  'consent.monthly_max_of': '{monthly_max} in a calendar month (UTC)',
  'consent.until': 'Until',
  'consent.until_cancelled': 'You cancel it. You can cancel at any time, on this page.',
  'consent.account': 'Account id',
  'consent.card': 'Card',
  'consent.stop': 'Turn off auto top-up',
  'consent.stop_title': 'Turn off auto top-up?',
  'consent.stop_effect':
    'The card is not charged automatically any more. When the credit is used up, calls of the account are refused. To start again, you have to agree again.',
  'consent.stopped_on': 'Stopped on',
  'consent.ended': 'Auto top-up is off',
  'consent.ended_text': 'No card is charged under this agreement any more. Earlier charges are not affected.',
  'consent.agreed': 'Auto top-up is on',
  'consent.agreed_text': 'Agreed on {day}. An email is sent for each charge.',
  'consent.expired': 'This link has expired',
  'consent.expired_text': 'Nothing is charged. Ask for a new link.',
  'consent.offered': 'Auto top-up with your card',
  'consent.offered_text':
    'You allow {shop} to charge your card automatically, without asking you, on these terms:',
  'consent.mail': 'You get an email for each charge. Only cards can be charged this way.',
  'consent.continue': 'Continue to the card page',
  'consent.close_page': 'Close this page if you do not agree.',
  'consent.cancel': 'Cancel',
  'consent.nothing_now': 'Nothing is charged now.',
  'consent.due_now': '{amount} is charged as soon as the card is saved, because the credit is below {below}.',
  'consent.being_charged': '{amount} is being charged now, because the credit is below {below}.',
  'consent.nothing_charged': 'Nothing was charged this month.',
  'consent.charged': 'Charged this month: {charged}.',
  'consent.charged_taxed': 'Charged this month: {charged}, plus tax.',
  'consent.paused': 'Auto top-up is paused',
  'consent.paused_text':
    'Auto top-up is turned off in the account, or a charge was declined. No card is charged while it is off. By the agreement of {day}, the account can turn it on again without asking you, unless you stop it here.',

  'renewal_card.month':
    'You allow {shop} to charge this card {amount} every month for the plan {plan}, until it is cancelled.',
  'renewal_card.month_taxed':
    'You allow {shop} to charge this card {amount} and tax every month for the plan {plan}, until it is cancelled.',
  'renewal_card.year':
    'You allow {shop} to charge this card {amount} every year for the plan {plan}, until it is cancelled.',
  'renewal_card.year_taxed':
    'You allow {shop} to charge this card {amount} and tax every year for the plan {plan}, until it is cancelled.',
  'renewal_card.plan_from': '{plan}, which begins on {day}',
  'renewal_card.due': '{sentence} The open invoice is charged to it now.',

  'change.title': 'Change to {plan}?',
  'change.text': '{plan} begins now with a full period, and {present} ends now.',
  'change.ends': 'What is left of {present} ends with it: {left}.',
  'change.credited':
    'The unused part of its price is deducted: measured by days or by usage, whichever is less.',
  'change.plan': 'New plan',
  'change.price': 'Price of the period',
  'change.deducted': 'Unused part of {plan}',
  'change.today': 'Charged today',
  'change.with_tax': '{amount}, plus tax',
  'change.card': 'Card',
  'change.card_unknown': 'The card that pays for your plan now',
  'change.renews': 'Next renewal',
  'change.renews_on': '{amount} on {day}, until you cancel',
  'change.pay': 'Change and pay {amount}',
  'change.pay_taxed': 'Change and pay {amount}, plus tax',
  'change.cancel': 'Cancel',
  'change.later_title': 'Change to {plan} on {day}?',
  'change.later_text': 'You keep {plan} until then. Nothing is charged today.',
  'change.begins': 'Begins',
  'change.then': 'Price',
  'change.then_each': '{amount} {period}, charged from then on until you cancel',
  'change.later_confirm': 'Change on {day}',

  'card.saved_title': 'Card saved',
  'card.saved': 'Your card is saved',
  'card.saved_text':
    'It pays for the plan from now on. If a renewal was not paid, it is charged to this card now: Billing shows the result.',
  'card.cancelled': 'Nothing has changed',
  'card.cancelled_text': 'No card was saved.',
  'card.not_used': 'This card is not used',
  'card.not_used_text':
    'The plan was cancelled, or the shop has frozen its account. This card is not charged for the plan.',
  'card.unavailable_title': 'Try again',
  'card.unavailable': 'Try again in a minute',
  'card.unavailable_text': 'The card processor does not respond. Nothing was charged. Try again in a minute.',
  'card.unknown': 'This link is not valid',
  'card.unknown_text':
    'Check that you copied all of it. A person who manages the account can create a new link under Billing.',
  'card.unknown_plan': 'Check that you copied all of it, or get a new link by email.',
  'card.new_link': 'Get a new link',
} as const;
