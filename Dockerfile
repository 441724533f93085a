# docker build -t model-gateway . (docs/deployment.md)
FROM oven/bun:1.4.5 AS build
WORKDIR /build
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production
COPY tsconfig.json ./
COPY src src
COPY console console
RUN bun run build

FROM debian:12-slim
# What upstreams show is checked against the usual authorities.
# The newest authorities are wanted, whichever they are.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates openssl \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --create-home --home-dir /var/lib/gateway gateway \
  # Platforms that choose the user id run it in group 0.
  && chgrp 0 /var/lib/gateway && chmod 2775 /var/lib/gateway
COPY --from=build /build/dist/gateway /usr/local/bin/gateway
USER 10001
# gateway.yaml, and data/: mount a volume here.
WORKDIR /var/lib/gateway
VOLUME /var/lib/gateway
ENV GATEWAY_HOST=0.0.0.0 GATEWAY_PORT=8080
EXPOSE 8080
STOPSIGNAL SIGTERM
# By HTTP, otherwise by HTTPS (`server.tls`).
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["bash", "-c", "ask() { printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n'; }; { exec 3<>/dev/tcp/127.0.0.1/$GATEWAY_PORT && ask >&3 && head -n 1 <&3 | grep -q ' 200 '; } || ask | openssl s_client -quiet -connect 127.0.0.1:$GATEWAY_PORT 2>/dev/null | head -n 1 | grep -q ' 200 '"]
ENTRYPOINT ["/usr/local/bin/gateway"]
CMD ["serve"]
