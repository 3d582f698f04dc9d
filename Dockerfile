# A worker of Steersman: production packages, built code with its prebuilt workflow bundle, no server.
# Debian, not Alpine: the native part of Temporal's SDK is built for glibc.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The workspaces are of no use here: packages/ is built in.
RUN npm ci --workspaces=false --ignore-scripts --no-audit --no-fund
COPY scripts/build.mjs scripts/doors.mjs scripts/without-comments.cjs scripts/
COPY src src
COPY packages packages
# The SDK's native part comes for five platforms: only this one stays.
RUN npm run build \
 && npm prune --workspaces=false --omit=dev --ignore-scripts --no-audit --no-fund \
 && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
      ! -name "$(uname -m)-*-linux-gnu" -exec rm -r {} +

FROM ${NODE_IMAGE}
# ca-certificates: TLS to Temporal uses the system's. tini: reaps what tool servers leave, passes SIGTERM on.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tini \
 && rm -rf /var/lib/apt/lists/*

# To write a mounted workspace as yourself: --build-arg UID=$(id -u) --build-arg GID=$(id -g)
ARG UID=1000
ARG GID=1000
RUN install -d -o "${UID}" -g "${GID}" -m 0700 /var/lib/steersman

WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json package-lock.json ./
COPY prompts prompts
COPY docker/config /config

ENV NODE_ENV=production \
    HOME=/var/lib/steersman \
    STEERSMAN_HOME=/var/lib/steersman
VOLUME /var/lib/steersman
USER ${UID}:${GID}

# Healthy: Temporal sees this host's worker take work from its task queue.
HEALTHCHECK --interval=30s --timeout=15s --start-period=20s --retries=3 \
  CMD ["node", "dist/packages/cli/doctor/worker-health.js", "--config", "/config"]
# SIGTERM drains: tools in flight get 30 s. Give it more before it is killed (docker stop -t 45).
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps", "dist/worker.js"]
CMD ["--config", "/config"]
