# The image of all programs: one storefront by default; `sluice` with a command, or another program, by its own command (docs/deployment.md).
# The root file system is made by release/rootfs.sh, in the first stage or before:
#   docker build .
#   npm run package && release/rootfs.sh amd64 && buildah bud --build-context rootfs=dist/image .
FROM --platform=$BUILDPLATFORM node:24-bookworm AS rootfs
ARG TARGETARCH
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund && npm run package && release/rootfs.sh "$TARGETARCH" && mv "dist/image/$TARGETARCH" /

FROM scratch
ARG TARGETARCH
COPY --from=rootfs /${TARGETARCH} /
# Without the flag each program keeps 80 MB more: garbage of its start (docs/operations.md).
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=16 HOST=0.0.0.0 DIRECT_HOST=0.0.0.0 DATA_DIR=/data \
  PATH=/usr/local/bin
WORKDIR /app
USER 65532:65532
EXPOSE 4020
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4020}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.js"]
