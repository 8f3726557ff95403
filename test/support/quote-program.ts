import * as QuoteShop from './quote-shop.ts';

/** Runs the quote route as a separate process, configured by PORT, PUBLIC_URL and DATABASE_URL. */
const { PORT, PUBLIC_URL = '', DATABASE_URL = '' } = process.env;
const shop = await QuoteShop.open({ databaseUrl: DATABASE_URL, port: Number(PORT), publicUrl: PUBLIC_URL });
const stop = () => void shop.close().then(() => process.exit(0));
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, stop);
process.send?.({ ready: true });
