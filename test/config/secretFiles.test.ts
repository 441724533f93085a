import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { secretReader } from "../../src/config/SecretFiles.ts"
import { secretVariables } from "../../src/config/secretVariables.ts"
import { Settings } from "../../src/config/Settings.ts"
import { stampOf } from "../../src/config/watchedFile.ts"
import { Variables } from "../../src/config/variables.ts"
import { writtenSecret } from "../../src/config/writtenSecrets.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gateway-secrets-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string, mode = 0o600) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}
const read = (env: Record<string, string> = {}, needsSecrets = true) =>
  Effect.runPromise(
    Effect.either(
      Effect.provide(Settings, Settings.from({ GATEWAY_CONFIG: join(folder, "gateway.yaml"), ...env }, needsSecrets))
    )
  )
const good = async (...args: Parameters<typeof read>) => {
  const settings = await read(...args)
  if (settings._tag === "Left") throw new Error(settings.left.message)
  return settings.right
}
const wrong = async (...args: Parameters<typeof read>) => {
  const settings = await read(...args)
  if (settings._tag === "Right") throw new Error("it was accepted")
  return settings.left.message.replaceAll(`${folder}/`, "")
}
const keyOf = ({ file }: Awaited<ReturnType<typeof good>>, name = "a") => {
  const key = file.value.upstreams?.[name]?.api_key
  return key === undefined ? undefined : Redacted.value(key)
}
const upstream = (key: string) =>
  `upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com/v1", api_key: ${key} } }\n`

describe("secrets in files", () => {
  it("stand wherever a secret does, relative to gateway.yaml, without the line break at their end", async () => {
    mkdirSync(join(folder, "secrets"))
    write("secrets/one", "sk-one\n")
    const database = write("secrets/database", "postgres://gateway:pass@db.example.com/gateway\n")
    const key = write("secrets/key", `${"k".repeat(24)}\r\n`)
    write(
      "gateway.yaml",
      `${upstream("{ file: secrets/one }")}database: { url: { file: ${database} } }
keys: [{ name: ci, secret: { file: ${key} } }]
search: { provider: brave, api_key: { file: secrets/one } }
redis: { url: { file: secrets/redis } }
files: { at: "s3://bucket", access_key_id: { file: secrets/one }, secret_access_key: { file: secrets/one } }
`
    )
    write("secrets/redis", "redis://redis.example.com:6379")
    const settings = await good()
    expect(keyOf(settings)).toBe("sk-one")
    expect(Redacted.value(settings.databaseUrl)).toBe("postgres://gateway:pass@db.example.com/gateway")
    expect(settings.file.value.keys?.map(({ secret }) => Redacted.value(secret))).toEqual(["k".repeat(24)])
    expect(Option.map(settings.redisUrl, Redacted.value)).toEqual(Option.some("redis://redis.example.com:6379"))
    expect([...(settings.file.files ?? [])].map(([path]) => path.replace(`${folder}/`, ""))).toEqual([
      "gateway.yaml",
      "gateway.env",
      "secrets/database",
      "secrets/one",
      "secrets/key",
      "secrets/redis"
    ])
    // The whole section may be one.
    write("gateway.yaml", `database: { file: ${database} }`)
    expect(Redacted.value((await good()).databaseUrl)).toBe("postgres://gateway:pass@db.example.com/gateway")
  })

  it("are errors that name the field, the file and no secret where they are missing or hold something else", async () => {
    write("gateway.yaml", upstream("{ file: nowhere }"))
    expect(await wrong()).toBe("gateway.yaml:1: upstreams.a.api_key: the file nowhere can't be read (ENOENT)")
    write("empty", "\n")
    write("gateway.yaml", upstream("{ file: empty }"))
    expect(await wrong()).toBe("gateway.yaml:1: upstreams.a.api_key: the file empty is empty")
    write("short", "planted")
    write("gateway.yaml", "keys: [{ name: ci, secret: { file: short } }]")
    expect(await wrong()).toBe(
      "gateway.yaml:1: keys[0].secret: the file short holds something else: expected 24 characters or more"
    )
    write("gateway.yaml", "keys: [{ name: ci, secret: planted }]")
    expect(await wrong()).toBe("gateway.yaml:1: keys[0].secret: expected 24 characters or more")
    write("gateway.yaml", upstream("{ path: nowhere }"))
    expect(await wrong()).toContain("upstreams.a.api_key.")
  })

  it("are not shown where what a file holds stands in place of its path", async () => {
    const google = "${GOOGLE_JSON}"
    const upstreamWith = (fields: string) =>
      write("gateway.yaml", `upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com", ${fields} } }`)
    upstreamWith(`auth: { kind: google, credentials_file: "${google}" }`)
    for (const GOOGLE_JSON of ['{"private_key":"planted"}', '{\n  "private_key": "planted"\n}\n']) {
      expect(await wrong({ GOOGLE_JSON })).toBe(
        "gateway.yaml:1: upstreams.a.auth.credentials_file: expected the path of a JSON file of credentials, not what it holds"
      )
    }
    upstreamWith('tls: { cert: "${PEM}", key: "${PEM}" }')
    expect(await wrong({ PEM: "-----BEGIN PRIVATE KEY-----\nplanted\n" })).toBe(
      "gateway.yaml:1: upstreams.a.tls.cert: expected the path of a PEM file, not what it holds"
    )
  })

  it("may stand in a document that is stored", async () => {
    write("one", "sk-one")
    const text = upstream(`{ file: ${join(folder, "one")} }`)
    write("gateway.yaml", text)
    expect(writtenSecret(text, (await good()).file)).toBeUndefined()
  })
})

describe("variables that name a file", () => {
  it("hold any secret of the gateway's", async () => {
    const secrets = Object.entries(Variables.fields)
      .filter(([name]) => /SECRET|_KEY(_ID)?$|(DATABASE|DIRECT|REDIS)_URL$/.test(name))
      .map(([name]) => name)
    expect([...secretVariables].toSorted()).toEqual(secrets.toSorted())
    const secret = write("secret", `${"s".repeat(40)}\n`)
    const settings = await good({
      GATEWAY_CONFIG: "",
      GATEWAY_SECRET_FILE: secret,
      GATEWAY_ADMIN_KEY_FILE: secret,
      GATEWAY_DATABASE_URL_FILE: write("url", "postgres://gateway:p@db.example.com/gateway")
    })
    expect([settings.secret, settings.adminKey].map(Option.map(Redacted.value))).toEqual([
      Option.some("s".repeat(40)),
      Option.some("s".repeat(40))
    ])
    expect(Redacted.value(settings.databaseUrl)).toBe("postgres://gateway:p@db.example.com/gateway")
    expect(settings.warnings).toEqual([])
  })

  it("hold the keys of providers, with and without a gateway.yaml", async () => {
    const key = write("key", "sk-of-a-file\n")
    write("gateway.yaml", upstream('"${HOUSE_API_KEY}"'))
    expect(keyOf(await good({ HOUSE_API_KEY_FILE: key }))).toBe("sk-of-a-file")
    rmSync(join(folder, "gateway.yaml"))
    expect(keyOf(await good({ GATEWAY_CONFIG: "", ANTHROPIC_API_KEY_FILE: key }), "anthropic")).toBe("sk-of-a-file")
  })

  it("are refused beside the variable itself, and where they can't be read", async () => {
    const key = write("key", "s".repeat(40))
    expect(await wrong({ GATEWAY_CONFIG: "", GATEWAY_SECRET: "t".repeat(40), GATEWAY_SECRET_FILE: key })).toBe(
      "GATEWAY_SECRET and GATEWAY_SECRET_FILE are both set: keep one of them"
    )
    expect(await wrong({ GATEWAY_CONFIG: "", OPENAI_API_KEY: "a", OPENAI_API_KEY_FILE: key })).toBe(
      "OPENAI_API_KEY and OPENAI_API_KEY_FILE are both set: keep one of them"
    )
    expect(await wrong({ GATEWAY_CONFIG: "", GATEWAY_SECRET_FILE: join(folder, "nowhere") })).toBe(
      "GATEWAY_SECRET_FILE: the file nowhere can't be read (ENOENT)"
    )
  })
})

describe("gateway.env", () => {
  it("is read from beside gateway.yaml, and the environment wins", async () => {
    write("gateway.yaml", `${upstream('"${HOUSE_API_KEY}"')}server: { host: "\${WHERE}" }`)
    write(
      "gateway.env",
      `# Secrets\n\nHOUSE_API_KEY=sk-env\nexport WHERE="0.0.0.0"\nGATEWAY_PORT=9000\nGATEWAY_SECRET='${"s".repeat(40)}'\n`
    )
    const settings = await good({ GATEWAY_PORT: "9001", GATEWAY_SECRET_FILE: write("secret", "t".repeat(40)) })
    expect([keyOf(settings), settings.server.host, settings.server.port]).toEqual(["sk-env", "0.0.0.0", 9001])
    expect(Option.map(settings.secret, Redacted.value)).toEqual(Option.some("t".repeat(40)))
  })

  it("is read again with gateway.yaml", async () => {
    write("gateway.yaml", upstream('"${HOUSE_API_KEY}"'))
    write("gateway.env", "HOUSE_API_KEY=one\n")
    const settings = await good()
    write("gateway.env", "HOUSE_API_KEY=other\n")
    const { value } = await Effect.runPromise(settings.reread)
    expect(Redacted.value(value.upstreams?.["a"]?.api_key ?? Redacted.make(""))).toBe("other")
  })

  it("is refused where others may read it, and where a line is none", async () => {
    write("gateway.yaml", "")
    write("gateway.env", "A=b\n", 0o640)
    expect(await wrong()).toBe(
      "gateway.env: others may read or change it, and it holds secrets: run chmod 600 gateway.env"
    )
    write("gateway.env", "A=b\nnonsense\n")
    expect(await wrong()).toBe("gateway.env:2: expected NAME=value")
    write("gateway.env", "GATEWAY_CONFIG=other.yaml\n")
    expect(await wrong()).toBe(
      "gateway.env:1: GATEWAY_CONFIG names the file that this one stands beside: set it elsewhere"
    )
  })
})

describe("commands that ask no upstream", () => {
  it("need no upstream's secret, but the database's", async () => {
    write(
      "gateway.yaml",
      `${upstream('"${HOUSE_API_KEY}"')}search: { provider: brave, api_key: { file: nowhere } }
keys: [{ name: ci, secret: "\${CI_KEY}" }]
database: "\${WHERE}"`
    )
    expect(await wrong({ WHERE: "sqlite::memory:" })).toContain("the environment has no variable HOUSE_API_KEY")
    expect(Redacted.value((await good({ WHERE: "sqlite::memory:" }, false)).databaseUrl)).toBe("sqlite::memory:")
    expect(await wrong({}, false)).toBe("gateway.yaml:4: database: the environment has no variable WHERE")
    write("gateway.yaml", "database: { url: { file: nowhere } }")
    expect(await wrong({}, false)).toBe("gateway.yaml:1: database.url: its file can't be read")
  })
})

describe("a file that several secrets are in", () => {
  it("counts as it was before the first reading of it", async () => {
    const path = write("shared", "sk-before")
    const reader = secretReader(folder)
    expect(await Effect.runPromise(reader.read("shared"))).toBe("sk-before")
    const before = reader.files.get(path)
    write("shared", "sk-after")
    expect(await Effect.runPromise(reader.read("shared"))).toBe("sk-after")
    expect(reader.files.get(path)).toBe(before)
    expect(await Effect.runPromise(stampOf(path))).not.toBe(before)
  })
})
