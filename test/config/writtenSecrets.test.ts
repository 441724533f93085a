import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readDocument } from "../../src/config/document.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { writtenSecret } from "../../src/config/writtenSecrets.ts"

const env = { KEY: "a-key-of-the-environment-0123456789", USER: "gateway" }
const found = async (text: string) => {
  const file = await Effect.runPromise(readDocument("next.yaml", text, { env }, GatewayFile))
  return writtenSecret(text, file)?.message
}

describe("secrets of a document that is to be stored", () => {
  it("may be variables of the environment", async () => {
    expect(
      await found(`upstreams:
  a: { protocol: openai-chat, base_url: "https://a.example.com/v1", api_key: "\${KEY}", headers: { x: "Bearer \${KEY}" } }
keys: [{ name: k, secret: "\${KEY}" }]
redis: { url: "redis://:\${KEY}@redis.example.com" }
`)
    ).toBeUndefined()
  })

  it("may be in a file of credentials, whose path is written", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-written-"))
    const path = join(folder, "account.json")
    writeFileSync(path, "{}")
    const auth = `{ kind: google, credentials_file: "${path}" }`
    expect(
      await found(`upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com", auth: ${auth} } }`)
    ).toBeUndefined()
    rmSync(folder, { recursive: true })
  })

  it.each([
    [
      'upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com", auth: { kind: azure, client_secret: planted } } }',
      "upstreams.a.auth.client_secret"
    ],
    [
      'upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com", api_key: planted } }',
      "upstreams.a.api_key"
    ],
    [
      'upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com", headers: { x-key: planted } } }',
      "upstreams.a.headers.x-key"
    ],
    ["keys: [{ name: k, secret: planted-0123456789-0123456789 }]", "keys.0.secret"],
    ['redis: { url: "redis://:planted@redis.example.com" }', "redis.url"],
    ["search: { provider: brave, api_key: planted }", "search.api_key"]
  ])("are refused where they are written out, and not said: %s", async (text, path) => {
    expect(await found(text)).toBe(
      `next.yaml:1: ${path}: a secret is not stored: write it as \${NAME}, a variable of each node's environment, or as { file: /path }, a file of each node`
    )
  })
})
