# docker build -t model-gateway . (docs/deployment.md)
# Both can be a mirror's, or images of one's own: one with Bun, and one with apt.
ARG BUILDER=oven/bun:1.4.5
ARG BASE=debian:12-slim

FROM ${BUILDER} AS build
WORKDIR /build
COPY package.json bun.lock bunfig.toml ./
# HTTPS_PROXY and NO_PROXY are arguments of every build. The secret `authority` is who signs for a proxy that reads along.
RUN --mount=type=secret,id=authority \
  if [ -e /run/secrets/authority ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/authority; fi \
  && bun install --frozen-lockfile --production
COPY tsconfig.json ./
COPY src src
COPY console console
COPY package/sbom.js package/sbom.js
RUN bun run build && bun package/sbom.js dist/licenses.pack > dist/gateway.cdx.json

FROM ${BASE}
# What upstreams show is checked against the usual authorities.
# The newest authorities are wanted, whichever they are.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates openssl \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --user-group --create-home --home-dir /var/lib/gateway gateway \
  # Platforms that choose the user id run it in group 0.
  && chgrp 0 /var/lib/gateway && chmod 2775 /var/lib/gateway
COPY --from=build /build/dist/gateway /usr/local/bin/gateway
COPY --from=build /build/dist/gateway.cdx.json /usr/share/doc/gateway/gateway.cdx.json
ARG VERSION=""
ARG REVISION=""
LABEL org.opencontainers.image.title="Model Gateway" \
  org.opencontainers.image.description="One self-hosted address in front of every model" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
USER 10001
# gateway.yaml, and data/: mount a volume here. The rest may be read-only, but for /tmp.
WORKDIR /var/lib/gateway
VOLUME /var/lib/gateway
# A user id that the platform chose has no home.
ENV HOME=/var/lib/gateway GATEWAY_HOST=0.0.0.0 GATEWAY_PORT=8080
EXPOSE 8080
STOPSIGNAL SIGTERM
# By HTTP, otherwise by HTTPS (`server.tls`).
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["bash", "-c", "ask() { printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n'; }; { exec 3<>/dev/tcp/127.0.0.1/$GATEWAY_PORT && ask >&3 && head -n 1 <&3 | grep -q ' 200 '; } || ask | openssl s_client -quiet -connect 127.0.0.1:$GATEWAY_PORT 2>/dev/null | head -n 1 | grep -q ' 200 '"]
ENTRYPOINT ["/usr/local/bin/gateway"]
CMD ["serve"]
