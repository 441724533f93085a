import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readDocument } from "../../src/config/document.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { calledKinds } from "../../src/contract/kinds.ts"

/** The message about a file, without its name and line. */
const complaint = (yaml: string) =>
  Effect.map(Effect.flip(readDocument("gateway.yaml", yaml, { env: {} }, GatewayFile)), ({ message }) =>
    message.replace(/^gateway\.yaml:\d+: /, "")
  )

/** Fields beside those that a place needs, and the path of the place. */
interface Place {
  readonly yaml: (fields: string) => string
  readonly at: string
}

const secret = "0123456789012345678901234"
const provider = `issuer: "https://id.example.com", client_id: a, client_secret: b`

const places = {
  file: { yaml: (fields) => fields, at: "" },
  upstream: {
    yaml: (fields) => `upstreams: { u: { provider: vllm, base_url: "http://127.0.0.1:8000", ${fields} } }`,
    at: "upstreams.u."
  },
  entry: { yaml: (fields) => `models: { c: ${fields} }`, at: "models." },
  model: { yaml: (fields) => `models: { c: { routes: [{ upstream: sandbox }], ${fields} } }`, at: "models.c." },
  route: {
    yaml: (fields) => `models: { c: { routes: [{ upstream: sandbox, ${fields} }] } }`,
    at: "models.c.routes[0]."
  },
  price: {
    yaml: (fields) => `models: { c: { routes: [{ upstream: sandbox }], price: { ${fields} } } }`,
    at: "models.c.price."
  },
  video: {
    yaml: (fields) => `models: { c: { routes: [{ upstream: sandbox }], video: { ${fields} } } }`,
    at: "models.c.video."
  },
  key: { yaml: (fields) => `keys: [{ name: a, secret: "${secret}", ${fields} }]`, at: "keys[0]." },
  account: { yaml: (fields) => `accounts: { a: { ${fields} } }`, at: "accounts.a." },
  adminKey: { yaml: (fields) => `admin_keys: [{ name: a, secret: "${secret}", ${fields} }]`, at: "admin_keys[0]." },
  provider: { yaml: (fields) => `sign_in: { oidc: [{ ${provider}, ${fields} }], roles: [] }`, at: "sign_in.oidc[0]." },
  role: { yaml: (fields) => `sign_in: { oidc: [{ ${provider} }], roles: [{ ${fields} }] }`, at: "sign_in.roles[0]." },
  issuer: {
    yaml: (fields) => `sign_in: { jwt: [{ issuer: "https://id.example.com", audience: a, ${fields} }] }`,
    at: "sign_in.jwt[0]."
  }
} satisfies Record<string, Place>

/** What is written, and the field that the message names. */
type Wrong = readonly [place: keyof typeof places, fields: string, field: string]

const server: ReadonlyArray<Wrong> = [
  ["file", "colour: red", "colour"],
  ["file", "server: 5", "server"],
  ["file", "server: { port: many }", "server.port"],
  ["file", "server: { tls: { cert: a } }", "server.tls.key"],
  ["file", "server: { trusted_proxies: 10.0.0.0/8 }", "server.trusted_proxies"],
  ["file", "server: { cors_origins: [nowhere] }", "server.cors_origins[0]"],
  ["file", "database: 5", "database"],
  ["file", "database: { connections: 1 }", "database.connections"],
  ["file", "database: { urls: a }", "database.urls"],
  ["file", "database: { url: { files: a } }", "database.url.files"],
  ["file", "database: { file: a, prepare: true }", "database.file"],
  ["file", 'database: { direct_url: "mysql://a" }', "database.direct_url"],
  ["file", "limits: { unfinished: { bytes: 0 } }", "limits.unfinished.bytes"],
  ["file", "limits: { requests_per_minute: 5 }", "limits.requests_per_minute"],
  ["file", "prices: { refresh_hours: 0 }", "prices.refresh_hours"],
  ["file", "prices_file: []", "prices_file"],
  ["file", "unpriced: maybe", "unpriced"],
  ["file", "search: { provider: bing }", "search.provider"],
  ["file", "search: { provider: brave }", "search.api_key"],
  ["file", "requests: { max_rows: 1.5 }", "requests.max_rows"],
  ["file", "log: { level: trace }", "log.level"],
  ["file", "redis: { url: 'http://a' }", "redis.url"],
  ["file", "callbacks: { allow: 10.0.0.0/8 }", "callbacks.allow"],
  ["file", "callbacks: { proxy: on }", "callbacks.proxy"],
  ["file", "alerts: { url: ftp, secret: a }", "alerts.url"],
  ["file", "alerts: { url: 'http://a', secret: a }", "alerts.secret"],
  ["file", "files: 5", "files"],
  ["file", "files: { att: a }", "files.att"],
  ["file", "files: { max_bytes: big }", "files.max_bytes"],
  ["file", "custody: { keep: 30 }", "custody.keep"],
  ["file", "retention: { tasks_days: 0 }", "retention.tasks_days"],
  ["file", "retention: { usage_days: 31 }", "retention.usage_days"],
  ["file", "retention: { usage_days: 40, requests_days: 41 }", "retention.usage_days"],
  ["file", "retention: { audit_days: 0 }", "retention.audit_days"],
  // A server could name a sign-in of its own, and read the secret there.
  [
    "file",
    "mcp: { servers: { a: { url: 'https://a.test', auth: person, client_id: me, client_secret: b } } }",
    "mcp.servers.a.client_secret"
  ],
  ["file", "mcp: { servers: { a: { url: 'https://a.test', issuer: 'https://b.test' } } }", "mcp.servers.a.issuer"]
]

const upstreams: ReadonlyArray<Wrong> = [
  ["file", "upstreams: [a]", "upstreams"],
  ["file", "upstreams: { u: text }", "upstreams.u"],
  ["file", "upstreams: { u: { protocol: openai-chat } }", "upstreams.u.base_url"],
  ["upstream", "protocol: chat", "protocol"],
  ["upstream", "api_key: 5", "api_key"],
  ["upstream", "api_key: { path: a }", "api_key.path"],
  ["upstream", "api_key: { file: 5 }", "api_key.file"],
  ["upstream", "keys: [{ key: a, weight: heavy }]", "keys[0].weight"],
  ["upstream", "keys: [{ key: a, wait: 2 }]", "keys[0].wait"],
  ["upstream", "auth: gcp", "auth"],
  ["upstream", "auth: { kind: gcp }", "auth.kind"],
  ["upstream", "auth: { profile: a }", "auth.kind"],
  ["upstream", "auth: { kind: aws, profil: a }", "auth.profil"],
  ["upstream", "auth: { kind: azure, scope: 5 }", "auth.scope"],
  ["upstream", "anthropic_beta: { drop: a }", "anthropic_beta.drop"],
  ["upstream", "anthropic_beta: { drop: [5] }", "anthropic_beta.drop[0]"],
  ["upstream", "think_tags: opened", "think_tags"],
  ["upstream", "headers: { x-team: 5 }", "headers.x-team"],
  ["upstream", "tls: { ca: [a] }", "tls.ca"],
  ["upstream", "guardrail: { version: a }", "guardrail.id"],
  ["upstream", "proxy: socks", "proxy"]
]

const models: ReadonlyArray<Wrong> = [
  ["entry", "5", "c"],
  ["entry", "''", "c"],
  ["entry", "{}", "c.routes"],
  ["entry", "{ alias: 5 }", "c.alias"],
  ["entry", "{ alias: a, strict: true }", "c.strict"],
  ["entry", "{ alais: a }", "c.alais"],
  ["entry", "{ prefer: cheapest }", "c.routes"],
  ["entry", "{ routes: sandbox }", "c.routes"],
  ["entry", "{ routes: [sandbox] }", "c.routes[0]"],
  ["model", "alias: a", "alias"],
  ["model", "prefer: fast", "prefer"],
  ["model", "strict: 1", "strict"],
  ["model", "kind: video", "kind"],
  ["model", "sticky: on", "sticky"],
  ["model", "threads: 1", "threads"],
  ["model", "fallbacks: { failed: 5 }", "fallbacks.failed"],
  ["model", "fallbacks: { failed: [5] }", "fallbacks.failed[0]"],
  ["model", "hedge_seconds: -1", "hedge_seconds"],
  ["model", "limits: { rpm: 5 }", "limits.rpm"],
  ["model", "colour: red", "colour"],
  ["model", "resolutions: [hd]", "resolutions[0]"],
  ["route", "wait: 1", "wait"],
  ["route", "weight: 0", "weight"],
  ["route", "protocol: chat", "protocol"],
  ["route", "price: { per_second: { 1080p: -1 } }", "price.per_second.1080p"],
  ["price", "input: -1", "input"],
  ["price", "output: cheap", "output"],
  ["price", "output: {}", "output"],
  ["price", "service_tier: { priority: '2' }", "service_tier.priority"],
  ["price", "service_tier: { priority: 101 }", "service_tier.priority"],
  ["price", "service_tier: { priority: { inputs: 1 } }", "service_tier.priority.inputs"],
  ["price", "service_tier: { default: 2 }", "service_tier.default"],
  ["price", "service_tier: { fast: 2, priority: 3 }", "service_tier.priority"],
  ["price", "speed: 2", "speed"],
  ["price", "speed: { standard: { input: 1 } }", "speed.standard"],
  ["price", "inference_geo: { us: null }", "inference_geo.us"],
  ["price", "inference_geo: { global: 1.1, us: 1.2 }", "inference_geo.global"],
  ["price", "hours: { factor: 1 }", "hours"],
  ["price", "hours: [{ utc: ['9:00-10:00'], factor: 1 }]", "hours[0].utc[0]"],
  ["price", "hours: [{ utc: [], factor: 1 }]", "hours[0].utc"],
  ["price", "hours: [{ days: [sunday], factor: 1 }]", "hours[0].days[0]"],
  ["price", "hours: [{ days: [sun] }]", "hours[0].factor"],
  ["price", "factor: '1.1'", "factor"],
  ["price", "above: { 272k: { input: 1 } }", "above.272k"],
  ["price", "above: { 0: { input: 1 } }", "above.0"],
  ["price", "above: { 200000: { inputs: 1 } }", "above.200000.inputs"],
  ["price", "audio: 3", "audio"],
  ["price", "per_call: { websearch: 1 }", "per_call.websearch"],
  ["price", "per_call: { web_search: { usd: -1 } }", "per_call.web_search.usd"],
  ["price", "per_request: -1", "per_request"],
  ["price", "cache_write_12h: x", "cache_write_12h"],
  ["price", "told: 'yes'", "told"],
  ["price", "output: { 720p: a }", "output.720p"],
  ["price", "output: { hd: 7 }", "output.hd"],
  ["price", "per_call: { map: 1 }", "per_call.map"],
  ["price", "per_call: { maps: { once: true } }", "per_call.maps.usd"],
  ["price", "per_call: { maps: { usd: 1, one: true } }", "per_call.maps.one"],
  ["price", "with_video: { input: 1 }", "with_video.input"],
  ["video", "seconds: 9-4", "seconds"],
  ["video", "seconds: [a]", "seconds[0]"],
  ["video", "default_seconds: 0", "default_seconds"],
  ["video", "references: { image: 1 }", "references.image"]
]

const people: ReadonlyArray<Wrong> = [
  ["file", "keys: {}", "keys"],
  ["file", "keys: [{ name: a }]", "keys[0].secret"],
  ["file", "keys: [{ name: a, secret: short }]", "keys[0].secret"],
  ["key", "models: ['!a']", "models[0]"],
  ["key", "balance_usd: -1", "balance_usd"],
  ["key", "budgets: [{ usd: 5, per: year }]", "budgets[0].per"],
  ["key", "budgets: [{ usd: 5, per: month, each: team }]", "budgets[0].each"],
  ["key", "limits: { unfinished: { byte: 5 } }", "limits.unfinished.byte"],
  ["key", "expires_at: tomorrow", "expires_at"],
  ["account", "record: on", "record"],
  ["account", "telemetry_contents: on", "telemetry_contents"],
  ["account", "record: { bodies: true }", "record.bodies"],
  ["account", "record: { bodies: on, redact: ['('] }", "record.redact[0]"],
  ["account", "trusts_end_user: 1", "trusts_end_user"],
  ["adminKey", "role: member", "role"],
  ["adminKey", "role: auditor, accounts: ['a*b']", "accounts[0]"],
  ["provider", "scopes: openid", "scopes"],
  ["provider", "parameters: { scope: a }", "parameters.scope"],
  ["role", "group: a, role: metrics", "role"],
  ["role", "group: a, role: auditor, bodies: 1", "bodies"],
  ["issuer", "account: 5", "account"],
  ["issuer", "account: { claim: a }", "account.values"],
  ["issuer", "account: { claim: a, values: { a: 5 } }", "account.values.a"],
  ["issuer", "account: { claim: a, values: {}, other: b }", "account.other"],
  ["issuer", "account: b, limits: { concurrent_tasks: a }", "limits.concurrent_tasks"]
]

describe("a wrong value in gateway.yaml", () => {
  it.effect.each([...server, ...upstreams, ...models, ...people])("%s: %s names %s", ([place, fields, field]) =>
    Effect.gen(function* () {
      const { at, yaml } = places[place]
      expect(yield* complaint(yaml(fields))).toMatch(new RegExp(`^${RegExp.escape(`${at}${field}`)}: `))
    })
  )

  it.effect.each([
    ["prefer: fast", 'models.c.prefer: expected one of order, cheapest, fastest; got "fast"'],
    ["strict: 1", "models.c.strict: expected a boolean; got 1"],
    ["kind: video", `models.c.kind: expected one of ${calledKinds.join(", ")}; got "video"`],
    ["price: { output: -1 }", "models.c.price.output: expected a non-negative number; got -1"]
  ] as const)("%s beside routes: %s", ([fields, message]) =>
    Effect.gen(function* () {
      expect(yield* complaint(places.model.yaml(fields))).toBe(message)
    })
  )

  it.effect("names each kind of value once", () =>
    Effect.gen(function* () {
      expect(yield* complaint("database: 5")).toBe("database: expected an object or a string; got 5")
    })
  )
})
