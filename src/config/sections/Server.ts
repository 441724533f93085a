import { Schema } from "effect"
import { optionalField, requiredField } from "./fields.ts"
import { Origin, PublicAddress, Text } from "./values.ts"

const port = Schema.Int.pipe(Schema.between(0, 65_535))
const tls = Schema.Struct({
  cert: requiredField(Text, "PEM file of the certificate and its chain."),
  key: requiredField(Text, "PEM file of its key, without a passphrase.")
})

/** `server.admin`: the address of its own for operators. */
export const ServerAdmin = Schema.Struct({
  host: optionalField(Text, "The address to listen on; `0.0.0.0` for all.", "`127.0.0.1`"),
  port: optionalField(port, "The port; 0 for a free one. Another than `server.port`.", "`8081`"),
  public_url: optionalField(
    PublicAddress,
    "The address as operators' browsers reach it. The console's links begin with it, and providers of `sign_in` send the browser back to it.",
    "the listening address"
  ),
  tls: optionalField(
    tls,
    "`{ cert, key }`: the admin address speaks [HTTPS](#https). It does not take the certificate of `server.tls`.",
    "HTTP"
  )
})

/** `server`: the server process. */
export const Server = Schema.Struct({
  host: optionalField(Text, "The address to listen on; `0.0.0.0` for all.", "`127.0.0.1`"),
  port: optionalField(port, "The port; 0 for a free one.", "`8080`"),
  public_url: optionalField(
    PublicAddress,
    "The gateway's address for clients; links begin with it. A path in it is one that a proxy takes off ([below a path](deployment.md#below-a-path)).",
    "the listening address"
  ),
  warm_up: optionalField(Schema.Boolean, "Does nothing: the gateway no longer warms up. Refused from 2.0 on."),
  leave_seconds: optionalField(
    Schema.Number.pipe(Schema.between(0, 600)),
    "How long new requests are still served after SIGTERM, while `/readyz` is 503 and answers say `connection: close`; then the gateway stops listening ([deployment](deployment.md#an-upgrade-without-a-failed-request)).",
    "`1`"
  ),
  workers: optionalField(
    Schema.Int.pipe(Schema.between(1, 256)),
    "Processes that share the port; more than one needs Postgres ([operations](operations.md#workers)).",
    "`1`"
  ),
  drain_seconds: optionalField(
    Schema.Number.pipe(Schema.between(0, 3_600)),
    "How long running requests may go on after SIGTERM.",
    "`25`"
  ),
  trusted_proxies: optionalField(
    Schema.Array(Text),
    "Address ranges of the proxies in front of the gateway, whose `X-Forwarded-For` is trusted."
  ),
  cors_origins: optionalField(
    Schema.Array(Origin),
    "Origins of pages that may call the gateway from a browser; `*` for all."
  ),
  metrics: optionalField(
    Schema.Boolean,
    "Serves `GET /metrics` to everyone without a key; the admin key always opens it ([operations](operations.md#metrics)).",
    "`false`"
  ),
  tls: optionalField(tls, "`{ cert, key }`: the gateway speaks [HTTPS](#https).", "HTTP"),
  admin: optionalField(
    ServerAdmin,
    "`{ host, port, public_url, tls }`: an address of its own for the admin API, `/metrics`, the console and their documentation, which the public one then has not ([operations](operations.md#an-address-for-operators)).",
    "everything is at one address"
  )
})
