/** The settings of payment providers, mail, administration and the bundled programs: entries of the table in setting-table.ts. */

import type { Setting } from './setting.ts';
import * as Schema from './setting-schemas.ts';

const adminTokenCharsMin = 24;
const directTokenCharsMin = 32;
const portSchema = Schema.wholeNumber(0, 65_535);

/** `mpp`: agents pay by card token. `card`: people pay on a hosted page. `x402`: wallets pay in a dollar token. */
export const rails = ['mpp', 'card', 'x402'] as const;
export type Rail = (typeof rails)[number];

export const paymentSettings = {
  PAYMENT_RAILS: {
    schema: Schema.textList,
    defaultText: 'every rail that is configured',
    about:
      'Comma-separated ways to pay: `card` (people, on a page), `mpp` (agents, by card token; needs `STRIPE_NETWORK_ID`), `x402`. Payments of earlier offers are still accepted.',
  },
  STRIPE_SECRET_KEY: {
    schema: Schema.text,
    defaultText: 'the card sandbox on `SANDBOX_PORT`',
    required: 'always',
    secret: true,
    about: 'Secret key of the card processor, sk_...',
  },
  STRIPE_WEBHOOK_SECRET: {
    schema: Schema.textList,
    defaultText: 'generated for the card sandbox',
    required: 'always',
    secret: true,
    about:
      'Signing secret of the card processor’s webhook, whsec_...; two, comma-separated, during a rotation. The webhook’s address is `PUBLIC_URL/webhooks/stripe`.',
  },
  STRIPE_NETWORK_ID: {
    schema: Schema.text,
    about:
      'Profile of the shop in Stripe’s network; without it, agents are not offered payment by card token.',
  },
  STRIPE_SPT_VERSION: {
    schema: Schema.text,
    defaultText: '`2026-08-26.preview`',
    about: 'API version that charges shared payment tokens.',
  },
  STRIPE_API_BASE: {
    schema: Schema.webUrl,
    default: 'https://api.stripe.com',
    about: 'Base URL of the card processor’s API; https in production.',
  },
  X402_PAY_TO: {
    schema: Schema.text,
    defaultText: 'none: no stablecoin payments',
    about:
      'Wallet address that receives stablecoin payments; a mixed-case address must pass its checksum. Use it for this shop alone ([payments.md](payments.md#stablecoin-payments-x402)).',
  },
  X402_FACILITATOR_URL: {
    schema: Schema.text,
    about: 'https address of the facilitator that settles stablecoin payments.',
  },
  X402_FACILITATOR_KEY_ID: {
    schema: Schema.text,
    about: 'Id of the API key of a Coinbase facilitator (`https://api.cdp.coinbase.com/platform/v2/x402`).',
  },
  X402_FACILITATOR_KEY_SECRET: {
    schema: Schema.text,
    secret: true,
    about: 'Secret of that API key: Ed25519 in base64, or a P-256 PEM.',
  },
  X402_FACILITATOR_TOKEN: {
    schema: Schema.text,
    secret: true,
    about: 'Bearer token of any other facilitator that requires one.',
  },
  X402_NETWORK: {
    schema: Schema.text,
    defaultText: 'Base, or Base Sepolia outside production',
    about:
      'Comma-separated CAIP-2 ids of the networks to offer, the preferred one first: `eip155:8453,eip155:137`.',
  },
  X402_TOKENS: {
    schema: Schema.text,
    defaultText: 'USDC of each network',
    about:
      'Other dollar tokens with EIP-3009 and 6 decimals: a JSON list of `{"network":"eip155:50","asset":"0x...","name":"USDC","version":"2"}`, with the token’s EIP-712 name and version.',
  },
  X402_RPC_URL: {
    schema: Schema.text,
    defaultText: 'none: the facilitator’s report is trusted',
    secret: true,
    about:
      'https RPC address of the network, or `eip155:8453=https://... eip155:137=https://...` for several. With it, every payment is verified on the chain and contract wallets can pay.',
  },
  X402_CONFIRMATIONS: {
    schema: Schema.text,
    defaultText: 'per network ([payments.md](payments.md#stablecoin-payments-x402))',
    about: 'Blocks that make a payment final, its own included, or `safe` or `finalized`.',
  },
} satisfies Record<string, Setting>;

export const mailSettings = {
  SMTP_URL: {
    schema: Schema.url('smtp:', 'smtps:'),
    defaultText: 'the mailbox on `MAILBOX_SMTP_PORT`',
    secret: true,
    about:
      '`smtp://user:password@host:587` (STARTTLS is required except on this machine) or `smtps://...:465`; without it, accounts cannot be claimed by email.',
  },
  MAIL_FROM: {
    schema: Schema.sender,
    about: 'Sender of the shop’s mail: `shop@example.com` or `Shop <shop@example.com>`.',
  },
  ADMIN_TOKEN: {
    schema: Schema.textOfAtLeast(adminTokenCharsMin),
    defaultText: 'generated and shown once by `sluice start`',
    secret: true,
    about: `Bearer token of \`/admin/*\` and of the console at \`/admin\`, at least ${adminTokenCharsMin} characters; without it, there are no such routes.`,
  },
  ADMIN_TOKEN_DIGEST: {
    schema: Schema.sha256,
    about: 'SHA-256 of the admin token in hexadecimal, in place of `ADMIN_TOKEN`.',
  },
  CONSOLE_ADMIN_TOKEN: {
    schema: Schema.onOff,
    default: 'on',
    about:
      '`off`: the admin token signs in to the console only until an owner has a passkey or has signed in with OpenID Connect ([console.md](console.md#signing-in)). Programs can always use it.',
  },
  CONSOLE_SESSION_HOURS: {
    schema: Schema.wholeNumber(1, 168),
    default: '8',
    about: 'Hours after which a person has to sign in to the console again.',
  },
  LOW_MARGIN_PERCENT: {
    schema: Schema.wholeNumber(0, 100),
    default: '10',
    about:
      'The front page of the console lists services and models with a smaller margin, in percent of the revenue.',
  },
  UPSTREAM_ERROR_PERCENT: {
    schema: Schema.number(0, 100),
    default: '2',
    about:
      'The front page of the console warns when a larger share of the calls of a day, in percent, ended with a server error of the upstream.',
  },
  OIDC_ISSUER: {
    schema: Schema.webUrl,
    defaultText: 'none: passkeys and the admin token',
    about:
      'Issuer of the OpenID Connect provider for sign-in to the console, as its discovery document writes it ([console.md](console.md#single-sign-on)).',
  },
  OIDC_CLIENT_ID: { schema: Schema.text, about: 'Client id of the console at the provider.' },
  OIDC_CLIENT_SECRET: {
    schema: Schema.text,
    secret: true,
    about: 'Client secret of the console at the provider.',
  },
  OIDC_ROLE_CLAIM: {
    schema: Schema.text,
    defaultText: 'none: only invited persons, with the role of their invitation',
    about:
      'Claim of the ID token with the role (`owner`, `finance`, `support`, `viewer`), as a text or in a list. Persons with one need no invitation.',
  },
} satisfies Record<string, Setting>;

/** The other settings of the bundled programs are checked by these programs. */
export const bundledSettings = {
  DIRECT_HOST: { schema: Schema.text, default: '127.0.0.1', about: 'Address of the bundled data API.' },
  DIRECT_PORT: { schema: portSchema, default: '4021', about: 'Port of the bundled data API.' },
  DIRECT_NETWORK_HOST: {
    schema: Schema.text,
    default: 'network.example',
    about:
      'Host of the professional network in the addresses of the bundled data API ([data-api.md](data-api.md#network-addresses)).',
  },
  DIRECT_SEARCH_TERMS_MAX: {
    schema: Schema.text,
    default: '4000',
    about:
      'Maximum number of terms of a search in the bundled data API ([data-api.md](data-api.md#limits-of-large-searches)).',
  },
  DIRECT_LARGE_SEARCH_MS: {
    schema: Schema.text,
    default: '1000',
    about: 'Time limit of each statement of its large searches, in milliseconds.',
  },
  DIRECT_ADMIN_TOKEN: {
    schema: Schema.textOfAtLeast(directTokenCharsMin),
    defaultText: 'generated and shown once by `sluice start`',
    secret: true,
    about:
      'Token of the dashboard and the admin routes of the bundled data API, 32 to 200 characters ([data-api.md](data-api.md#dashboard)).',
  },
  DIRECT_ADMIN_TOKEN_DIGEST: {
    schema: Schema.sha256,
    about: 'SHA-256 of that token in hexadecimal, in place of it.',
  },
  DIRECT_EMAIL_HELO: {
    schema: Schema.text,
    defaultText: 'none: no email address is tested',
    about: 'Host name that the bundled data API gives to mail servers ([emails.md](emails.md)).',
  },
  DIRECT_EMAIL_FROM: {
    schema: Schema.text,
    defaultText: 'none: no email address is tested',
    about: 'Sender address that it gives to mail servers.',
  },
  DIRECT_LIVE_URL: {
    schema: Schema.url('http:', 'https:'),
    defaultText: 'a stand-in for the sample; none for other data',
    about: 'Source of live profiles for the bundled data API ([live-profiles.md](live-profiles.md)).',
  },
  DIRECT_LIVE_KEY: {
    schema: Schema.text,
    secret: true,
    about: 'Key for this source, sent as `x-api-key`.',
  },
  SANDBOX_HOST: { schema: Schema.text, default: '127.0.0.1', about: 'Address of the card sandbox.' },
  SANDBOX_PORT: { schema: portSchema, default: '4022', about: 'Port of the card sandbox.' },
  MAILBOX_HOST: { schema: Schema.text, default: '127.0.0.1', about: 'Address of the development mailbox.' },
  MAILBOX_PORT: { schema: portSchema, default: '4023', about: 'Port of the mailbox’s page.' },
  MAILBOX_SMTP_PORT: {
    schema: portSchema,
    default: '4024',
    about: 'Port on which the mailbox receives mail.',
  },
} satisfies Record<string, Setting>;
