import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either, Layer, Option, Redacted } from "effect"
import { BadSettings } from "../../src/config/document.ts"
import { Settings } from "../../src/config/Settings.ts"
import { catalogueOf } from "../../src/catalogue/catalogueOf.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-config-"))

afterAll(() => rmSync(folder, { recursive: true }))

let files = 0

const settings = (yaml: string | undefined, env: Record<string, string> = {}) => {
  const path = join(folder, `${files++}.yaml`)
  if (yaml !== undefined) writeFileSync(path, yaml)
  return Effect.runPromiseExit(
    Effect.scoped(
      Effect.flatMap(
        Layer.build(Settings.from(yaml === undefined ? env : { ...env, GATEWAY_CONFIG: path })),
        (context) => Effect.provide(Settings, context)
      )
    )
  )
}

const good = async (yaml: string | undefined, env?: Record<string, string>) => {
  const exit = await settings(yaml, env)
  if (exit._tag === "Failure") throw new Error(String(exit.cause))
  return exit.value
}

const complaint = async (yaml: string | undefined, env?: Record<string, string>) => {
  const exit = await settings(yaml, env)
  if (exit._tag === "Success" || exit.cause._tag !== "Fail") throw new Error("it was accepted")
  const { message } = exit.cause.error
  expect(message).not.toContain("\n")
  return message.replace(/^.*\/\d+\.yaml/, "gateway.yaml")
}

const own = [
  {
    id: "sandbox-text",
    kind: "text",
    routes: [{ upstream: "sandbox", model: "sandbox-text" }],
    contextTokens: 1,
    ownedBy: "sandbox"
  },
  {
    id: "sandbox-video",
    kind: "video",
    routes: [{ upstream: "sandbox", model: "sandbox-video" }],
    contextTokens: 1,
    ownedBy: "sandbox"
  }
] as const

const catalogue = async (yaml: string) => catalogueOf((await good(yaml)).file, own)

describe("settings", () => {
  it("refuse a key that stands twice in one mapping, with its line", async () => {
    expect(await complaint("models:\n  a: sandbox\n  b: sandbox\n  a: sandbox\n")).toBe(
      "gateway.yaml:4: Map keys must be unique"
    )
  })

  it("have defaults for everything", async () => {
    const { databaseUrl, server } = await good(undefined)
    expect([server.host, server.port, Redacted.value(databaseUrl)]).toEqual([
      "127.0.0.1",
      8080,
      "sqlite:data/gateway.db"
    ])
  })

  it("come from the file, and the environment wins", async () => {
    const yaml = `server: { host: 0.0.0.0, port: 9000 }\ndatabase: "sqlite::memory:"`
    expect((await good(yaml)).server).toMatchObject({ host: "0.0.0.0", port: 9000 })
    expect((await good(yaml, { GATEWAY_PORT: "9001" })).server).toMatchObject({ host: "0.0.0.0", port: 9001 })
    expect(Redacted.value((await good(yaml)).databaseUrl)).toBe("sqlite::memory:")
  })

  it("say how a Postgres is worked with, in the file or the environment", async () => {
    const usual = (await good(undefined)).pool
    expect([usual.connections, usual.prepare, Duration.toSeconds(usual.statementTimeout)]).toEqual([10, true, 30])
    const yaml = `database:
  url: postgres://gateway@pooler/gateway
  direct_url: postgres://gateway:pa55word@db/gateway
  connections: 20
  prepare: false
  statement_timeout: 2.5
  slow_query_ms: 200
`
    const { databaseUrl, pool, warnings } = await good(yaml)
    expect(Redacted.value(databaseUrl)).toBe("postgres://gateway@pooler/gateway")
    expect(Option.map(pool.directUrl, Redacted.value)).toEqual(Option.some("postgres://gateway:pa55word@db/gateway"))
    expect([pool.connections, pool.prepare]).toEqual([20, false])
    expect([pool.statementTimeout, pool.slowQuery].map((time) => Duration.toMillis(time))).toEqual([2_500, 200])
    expect(warnings).toEqual([])
    const env = {
      GATEWAY_DATABASE_URL: "postgres://gateway@pooler/gateway",
      GATEWAY_DATABASE_PREPARE: "false",
      GATEWAY_DATABASE_CONNECTIONS: "5",
      GATEWAY_DATABASE_STATEMENT_TIMEOUT: "7",
      GATEWAY_DATABASE_SLOW_QUERY_MS: "8"
    }
    const fromEnvironment = await good(undefined, env)
    expect(fromEnvironment.pool).toMatchObject({ connections: 5, prepare: false })
    expect(fromEnvironment.warnings).toEqual([expect.stringContaining("database.direct_url is not set")])
    expect(await complaint("database: { connections: 1 }")).toContain("database.connections")
    expect(await complaint("database: { direct_url: sqlite:x }")).toContain("database.direct_url: expected postgres://")
    expect(await complaint("database: { url: mysql://a:pa55word@b }")).toContain(
      "gateway.yaml:1: database.url: expected"
    )
    expect(await complaint("database: { url: mysql://a:pa55word@b }")).not.toContain("pa55word")
  })

  it("name a database of either engine, which nothing prints, and the folder of what stays on the machine", async () => {
    const url = "postgres://gateway:pa55word@db.example.com:5432/gateway?sslmode=require"
    const onPostgres = await good(`database: "${url}"`)
    expect(Redacted.value(onPostgres.databaseUrl)).toBe(url)
    expect(Bun.inspect(onPostgres, { depth: 9 }) + JSON.stringify(onPostgres)).not.toContain("pa55word")
    expect(onPostgres.dataDirectory).toBe("data")
    expect((await good(undefined, { GATEWAY_DATABASE_URL: url, GATEWAY_DATA_DIRECTORY: "/srv/x" })).dataDirectory).toBe(
      "/srv/x"
    )
    expect((await good(undefined, { GATEWAY_DATABASE_URL: "sqlite:deep/er/x.db" })).dataDirectory).toBe("deep/er")
    for (const wrong of [
      "postgres://",
      "postgres:gateway",
      "mysql://a:pa55word@b/c",
      "sqlite:",
      "postgres://a:pa55word@h:x/y",
      "postgres://a:pa55word/x@h/y",
      "postgres://a:pa55word#x@h/y",
      "postgres://a:pa55word%x@h/y"
    ]) {
      for (const message of [
        await complaint(`database: "${wrong}"`),
        await complaint(undefined, { GATEWAY_DATABASE_URL: wrong })
      ]) {
        expect(message).toContain(
          "expected sqlite:<path>, sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<name>"
        )
        expect(message).toContain("with @ : / # ? % of a user or password percent-encoded (%40 for @)")
        expect(message).not.toContain("pa55word")
      }
    }
  })

  it.each([
    ["redis: {}", "redis.url: expected either url or sentinel"],
    ['redis: { sentinel: { hosts: ["s"], name: m } }', "redis.sentinel.hosts[0]: expected host:port"],
    ['redis: { sentinel: { hosts: ["s:99999"], name: m } }', "redis.sentinel.hosts[0]: expected host:port"],
    ["redis: { url: banana }", "redis.url: expected redis://host:port or rediss://host:port"],
    [
      'server: { public_url: "https://gateway.example.com/?a=b" }',
      "server.public_url: expected an address without a query and a fragment"
    ],
    [
      'keys: [{ name: a, secret: 0123456789-0123456789-0123, models: ["!gpt-4o"] }]',
      "keys[0].models[0]: a pattern can't exclude models with !: list them in not_models"
    ],
    [
      "keys: [{ name: a, secret: 0123456789-0123456789-0123, expires_at: soon }]",
      "keys[0].expires_at: expected a day such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z"
    ],
    [
      'upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com", proxy: banana } }',
      "upstreams.a.proxy: expected http://<host>:<port> or https://…, which may hold a user and a password, or off"
    ]
  ])("refuse %s with its line", async (yaml, message) => {
    expect(await complaint(yaml)).toBe(`gateway.yaml:1: ${message}`)
  })

  it("put the environment into strings, and never into the file's structure", async () => {
    const yaml = `upstreams: { a: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: "\${SECRET}" } }`
    const hostile = 'x", admin: true }, b: { keys: []'
    const key = (await good(yaml, { SECRET: hostile })).file.value.upstreams?.["a"]?.api_key
    expect(key === undefined ? "" : Redacted.value(key)).toBe(hostile)
    expect(JSON.stringify((await good(yaml, { SECRET: hostile })).file.value)).not.toContain("admin")
  })

  it.each<[string, string | undefined, Record<string, string>, string]>([
    [
      "a bad port",
      undefined,
      { GATEWAY_PORT: "80800" },
      'GATEWAY_PORT: expected a port number from 0 to 65535; got "80800"'
    ],
    [
      "a short key",
      undefined,
      { GATEWAY_BOOTSTRAP_KEY: "short" },
      "GATEWAY_BOOTSTRAP_KEY: expected 24 characters or more"
    ],
    [
      "a base URL that is none",
      undefined,
      { OPENAI_BASE_URL: "localhost:8000" },
      "OPENAI_BASE_URL: expected an http:// or https:// address"
    ],
    ["a missing file", undefined, { GATEWAY_CONFIG: "/nowhere.yaml" }, "/nowhere.yaml: the file can't be read"],
    ["broken YAML", "server: {", {}, "gateway.yaml:1:"],
    ["an unknown field", "server:\n  host: a\n  prot: 1", {}, "gateway.yaml:3: server.prot: is not a known field"],
    [
      "a wrong value",
      "server:\n\n  port: many",
      {},
      'gateway.yaml:3: server.port: expected a number between 0 and 65535; got "many"'
    ],
    [
      "a balance that no account can have",
      `keys:\n  - name: a\n    secret: ${"x".repeat(24)}\n    balance_usd: 9000001`,
      {},
      "gateway.yaml:4: keys[0].balance_usd: expected a number less than or equal to 9000000; got 9000001"
    ],
    [
      "a pattern that takes backtracking",
      "accounts:\n  a:\n    record:\n      bodies: on\n      redact:\n        - a+\n        - (a)\\1",
      {},
      "gateway.yaml:7: accounts.a.record.redact[1]: expected a regular expression without look-arounds and back references"
    ],
    ["a missing variable", 'database: "sqlite:${NO_SUCH}"', {}, "database: the environment has no variable NO_SUCH"],
    [
      "an unknown protocol",
      "upstreams:\n  a:\n    protocol: soap\n    base_url: http://x",
      {},
      "gateway.yaml:3: upstreams.a.protocol: expected one of anthropic-messages"
    ],
    [
      "a server of tools with a name that is reserved",
      "mcp:\n  servers:\n    own:\n      url: https://a.example",
      {},
      "gateway.yaml:4: mcp.servers.own: expected a name of at most 32 lower-case letters, digits, - and single _ between them, other than own"
    ],
    [
      "a server of tools whose key is missing",
      "mcp:\n  servers:\n    a:\n      url: https://a.example\n      auth: key",
      {},
      "mcp.servers.a.api_key: is required for auth: key"
    ],
    [
      "a server of tools at no address",
      "mcp:\n  servers:\n    a:\n      url: ftp://a.example",
      {},
      "mcp.servers.a.url: expected"
    ],
    [
      "a header that the protocol sets",
      "mcp:\n  servers:\n    a:\n      url: https://a.example\n      headers:\n        Mcp-Name: x",
      {},
      "mcp.servers.a.headers.Mcp-Name: expected the name of a header that the protocol and `api_key` don't set"
    ],
    [
      "a pattern of tools without a server",
      "keys:\n  - name: a\n    secret: team-a-secret-0123456789abcdef\n    tools: [search]",
      {},
      "keys[0].tools[0]: expected a server and a tool, such as jira/search, jira/* or */get_*"
    ],
    ["search without a key", "search:\n  provider: brave", {}, "search.api_key: is required for brave"]
  ])("refuse %s in one line that says where", async (_, yaml, env, message) => {
    expect(await complaint(yaml, env)).toContain(message)
  })
})

describe("the catalogue", () => {
  it("names the sandbox's models, and gives them other names", async () => {
    const models = Either.getOrThrow(
      await catalogue("models: { gpt-5.1: sandbox, sora-2: { routes: [{ upstream: sandbox, model: sandbox-video }] } }")
    )
    expect([...models.keys()]).toEqual(["sandbox-text", "sandbox-video", "gpt-5.1", "sora-2"])
    expect(models.get("gpt-5.1")).toMatchObject({
      kind: "text",
      routes: [{ upstream: "sandbox", model: "sandbox-text" }]
    })
    expect(models.get("sora-2")?.kind).toBe("video")
  })

  it.each([
    ["a route to nowhere", "models:\n  x: nobody", 'gateway.yaml:2: models.x: no upstream "nobody"; there are sandbox'],
    [
      "routes of two kinds",
      "upstreams:\n  ark: { protocol: ark-video, base_url: http://x }\nmodels:\n  x:\n    routes:\n      - { upstream: sandbox }\n      - { upstream: ark }",
      'gateway.yaml:7: models.x: upstream "ark" serves video models, the routes before it text'
    ],
    [
      "an upstream called sandbox",
      "upstreams:\n  sandbox: { protocol: ark-video, base_url: http://x }",
      "gateway.yaml:2: upstreams.sandbox: this name is the sandbox's"
    ]
  ])("refuses %s with its line", async (_, yaml, message) => {
    const left = Option.getOrThrow(Either.getLeft(await catalogue(yaml)))
    expect(left).toBeInstanceOf(BadSettings)
    expect(left.message.replace(/^.*\/\d+\.yaml/, "gateway.yaml")).toBe(message)
  })
})
