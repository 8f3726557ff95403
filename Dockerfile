# One image for all programs of this project: the storefront by default, `node packages/data-api/src/main.ts` and the others by command.
FROM node:24-alpine AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
# The embedded PostgreSQL and its Node are for `npm start` alone; here both come from outside.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-alpine
# Without the flag each program keeps 80 MB more: garbage of its start (docs/operations.md).
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=16 HOST=0.0.0.0 DIRECT_HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
# The packages among the dependencies are links to these folders.
COPY --from=packages /app/packages ./packages
COPY package.json LICENSE ./
COPY src ./src
COPY migrations ./migrations
COPY openapi ./openapi
USER node
EXPOSE 4020
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4020}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]
