/** The behavior of a test card when it is charged. */
export type Conduct =
  | { kind: 'succeeds' }
  /** Is paid, but a refund of it is not over at once: it succeeds later, or fails after it has succeeded. */
  | { kind: 'refunds_slowly'; end: 'succeeded' | 'failed' }
  /** Takes days to be paid, as a bank transfer does. */
  | { kind: 'settles_later' }
  | Decline
  /** Is paid by hand, and declined once a customer keeps it: a subscription begins, and its renewals fail. */
  | { kind: 'declines_once_kept'; as: Decline }
  /** Asks for 3-D Secure: at every payment, or until it has been set up for later use. */
  | { kind: 'challenges'; when: 'always' | 'until_set_up' }
  | { kind: 'is_disputed'; as: 'chargeback' | 'inquiry' }
  /** Is paid, then reported by its issuer in an early fraud warning. */
  | { kind: 'is_reported' }
  /** Is paid with an elevated risk, for which the sandbox's Radar rule opens a review. */
  | { kind: 'is_reviewed' };

type Decline = { kind: 'declines'; code: string; declineCode: string; message: string };

export type Card = {
  number: string;
  brand: 'visa' | 'mastercard' | 'amex';
  funding: 'credit' | 'debit';
  /** The id of the API's predefined payment method for this card. */
  token: string;
  conduct: Conduct;
};

const succeeds: Conduct = { kind: 'succeeds' };

function declines(declineCode: string, message: string, code = 'card_declined'): Decline {
  return { kind: 'declines', code, declineCode, message };
}

function card(number: string, token: string, conduct: Conduct, brand: Card['brand'] = 'visa'): Card {
  return { number, brand, funding: 'credit', token, conduct };
}

const declined = 'Your card was declined.';

/**
 * The processor's published test cards that the sandbox knows, and one of its own, which settles later. No two end in
 * the same four digits.
 */
const cards: readonly Card[] = [
  card('4242424242424242', 'pm_card_visa', succeeds),
  { ...card('4000056655665556', 'pm_card_visa_debit', succeeds), funding: 'debit' },
  card('5555555555554444', 'pm_card_mastercard', succeeds, 'mastercard'),
  card('378282246310005', 'pm_card_amex', succeeds, 'amex'),
  card('4000000000000002', 'pm_card_chargeDeclined', declines('generic_decline', declined)),
  card(
    '4000000000009995',
    'pm_card_chargeDeclinedInsufficientFunds',
    declines('insufficient_funds', 'Your card has insufficient funds.'),
  ),
  card('4000000000009987', 'pm_card_chargeDeclinedLostCard', declines('lost_card', declined)),
  card('4000000000009979', 'pm_card_chargeDeclinedStolenCard', declines('stolen_card', declined)),
  card(
    '4000000000000069',
    'pm_card_chargeDeclinedExpiredCard',
    declines('expired_card', 'Your card has expired.', 'expired_card'),
  ),
  card(
    '4000000000000127',
    'pm_card_chargeDeclinedIncorrectCvc',
    declines('incorrect_cvc', "Your card's security code is incorrect.", 'incorrect_cvc'),
  ),
  card(
    '4000000000000119',
    'pm_card_chargeDeclinedProcessingError',
    declines('processing_error', 'An error occurred while processing your card.', 'processing_error'),
  ),
  card('4000000000000341', 'pm_card_chargeCustomerFail', {
    kind: 'declines_once_kept',
    as: declines('generic_decline', declined),
  }),
  card('4000002500003155', 'pm_card_authenticationRequiredOnSetup', {
    kind: 'challenges',
    when: 'until_set_up',
  }),
  card('4000002760003184', 'pm_card_authenticationRequired', { kind: 'challenges', when: 'always' }),
  card('4000000000000259', 'pm_card_createDispute', { kind: 'is_disputed', as: 'chargeback' }),
  card('4000000000001976', 'pm_card_createDisputeInquiry', { kind: 'is_disputed', as: 'inquiry' }),
  card('4000000000005423', 'pm_card_createIssuerFraudRecord', { kind: 'is_reported' }),
  card('4000000000009235', 'pm_card_riskLevelElevated', { kind: 'is_reviewed' }),
  card('4000000000007726', 'pm_card_pendingRefund', { kind: 'refunds_slowly', end: 'succeeded' }),
  card('4000000000005126', 'pm_card_refundFail', { kind: 'refunds_slowly', end: 'failed' }),
  card('4000000000007080', 'pm_card_settlesLater', { kind: 'settles_later' }),
];

/** The result for any other valid card number, which may be a real card that must not be used here. */
const unknownCardConduct = declines(
  'test_mode_live_card',
  'Your card was declined: this is a sandbox, which takes test cards only.',
);

export function byNumber(number: string): Card | undefined {
  return cards.find((known) => known.number === number);
}

export function byToken(token: string): Card | undefined {
  return cards.find((known) => known.token === token);
}

/** Returns the behavior of the card whose number ends in `last4`. */
export function conductOf(last4: string): Conduct {
  return cards.find(({ number }) => number.endsWith(last4))?.conduct ?? unknownCardConduct;
}

/** Returns true when `digits` has the length of a card number and a valid check digit (ISO/IEC 7812-1, Luhn). */
export function isNumber(digits: string): boolean {
  if (!/^\d{13,19}$/.test(digits)) return false;
  let sum = 0;
  for (const [place, character] of [...digits].reverse().entries()) {
    const doubled = Number(character) * (place % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
