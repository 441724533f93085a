import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { callUpstream, defaultDeadlines } from "../../src/upstreams/calls/client.ts"
import { hintOf } from "../../src/upstreams/calls/hintOf.ts"

const certificates = join(import.meta.dirname, "../http/certificates")
const plain = Bun.serve({ port: 0, fetch: () => new Response("here") })
const withOwnCertificate = Bun.serve({
  port: 0,
  tls: {
    cert: readFileSync(join(certificates, "first.crt")),
    key: readFileSync(join(certificates, "first.key"))
  },
  fetch: () => new Response("here")
})
afterAll(() => Promise.all([plain.stop(true), withOwnCertificate.stop(true)]))

/** Addresses that no call reaches, with the hint of the log. */
const addresses = {
  "a host that does not resolve": ["http://nowhere.invalid/", "the host of upstreams.up.base_url does not resolve"],
  "a port that nothing listens at": ["http://127.0.0.1:1/", "nothing listens at upstreams.up.base_url"],
  "a certificate that does not verify": [
    `https://127.0.0.1:${withOwnCertificate.port}/`,
    "the certificate of upstreams.up.base_url does not verify; NODE_EXTRA_CA_CERTS names a file with an authority to trust"
  ],
  "a server without TLS": [
    `https://127.0.0.1:${plain.port}/`,
    "the server at upstreams.up.base_url does not speak TLS; is http:// meant?"
  ]
} as const

describe("a connection that fails", () => {
  it.live.each(Object.entries(addresses))("%s", ([, [url, hint]]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(callUpstream({ url, headers: {}, body: "{}", deadlines: defaultDeadlines }))
      expect(hintOf("up", error)).toBe(hint)
      expect(error).toMatchObject({ status: undefined, trouble: "unreachable" })
    })
  )

  it.each([
    ["CERT_HAS_EXPIRED", "the certificate of upstreams.up.base_url has expired"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "the certificate of upstreams.up.base_url is for another host"],
    ["EHOSTUNREACH", "no network route leads to the host of upstreams.up.base_url"],
    ["ETIMEDOUT", "the host of upstreams.up.base_url accepted no connection within upstreams.up.connect_seconds"],
    ["ERR_PROXY_TUNNEL: Proxy refused to open a tunnel: 407", "the proxy refused the connection"],
    ["ENEW", "no connection to upstreams.up.base_url was made"]
  ])("%s", (said, hint) => {
    expect(hintOf("up", { status: undefined, neverSent: true, said })).toBe(hint)
  })
})
