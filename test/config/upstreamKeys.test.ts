import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { readDocument } from "../../src/config/document.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { writtenSecret } from "../../src/config/writtenSecrets.ts"
import { keysOf } from "../../src/upstreams/keys/keysOf.ts"
import { soundEntry } from "../../src/upstreams/configured/soundEntry.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-upstream-keys-"))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, "secret"), "sk-of-the-file\n")

const unsendable = "expected at most 32768 printable ASCII characters, which a header can carry"

const text = (fields: string) =>
  `upstreams:\n  up: { protocol: openai-chat, base_url: "http://127.0.0.1:9/v1", ${fields} }\n`
const read = (fields: string) =>
  Effect.runPromise(
    Effect.either(
      readDocument(
        join(folder, "gateway.yaml"),
        text(fields),
        { env: { A: "sk-of-a", B: "sk-of-b" }, folder },
        GatewayFile
      )
    )
  )
const complaint = async (fields: string) => {
  const placed = Either.flatMap(await read(fields), (file) => {
    const entry = file.value.upstreams?.["up"]
    return entry === undefined ? Either.right([]) : soundEntry(file, "up", entry)
  })
  return Either.isLeft(placed) ? placed.left.message.replace(/^.*gateway\.yaml:\d+: /, "") : "none"
}

describe("keys of an upstream", () => {
  it("are secrets, with a weight or without, from the environment and from files", async () => {
    const file = Either.getOrThrow(await read('keys: ["${A}", { key: "${B}", weight: 2 }, { file: secret }]'))
    const entry = file.value.upstreams?.["up"]
    expect(entry && keysOf(entry).map(({ key, weight }) => [Redacted.value(key), weight])).toEqual([
      ["sk-of-a", 1],
      ["sk-of-b", 2],
      ["sk-of-the-file", 1]
    ])
    expect(JSON.stringify(file.value)).not.toContain("sk-of")
  })

  it.each([
    ["keys: []", "keys: expected one key or more"],
    ['keys: "${A}"', "keys: expected a list of keys"],
    ["keys: [sk-a, [sk-b]]", "keys[1]: expected a key as text, as { file }, as { command }, or as { key, weight }"],
    ["keys: [{ weight: 2 }]", "keys[0].key: is required; expected a string or an object"],
    ["keys: [{ key: sk-a, weight: 0 }]", "keys[0].weight: expected a positive number; got 0"],
    ["keys: [sk-a, { key: { file: none } }]", "keys[1].key: the file none can't be read (ENOENT)"],
    ["keys: [sk-a, { key: sk-a }]", "keys[1]: the same key as keys[0]"],
    ['keys: ["sk-a\\nb"]', `keys[0]: ${unsendable}`],
    ['keys: [{ key: "sk-schlüssel" }]', `keys[0].key: ${unsendable}`],
    ['api_key: "sk-a\\r\\nx-admin: 1"', `api_key: ${unsendable}`],
    ['headers: { x-key: "sk-a\\u0001" }', `headers.x-key: ${unsendable}`],
    ['auth: { kind: aws, access_key_id: "sk-a\\n", secret_access_key: sk-b }', `auth.access_key_id: ${unsendable}`],
    ["keys: [sk-a], api_key: sk-b", "api_key: stands in keys where there are several"],
    ["keys: [sk-a], auth: aws", "auth: in place of api_key and keys, not beside them"]
  ])("are refused without being shown: %s", async (fields, rule) => {
    expect(await complaint(fields)).toBe(`upstreams.up.${rule}`)
  })

  it("are refused where they are too long for a header", async () => {
    expect(await complaint(`api_key: ${"sk-a".repeat(262_144)}`)).toBe(`upstreams.up.api_key: ${unsendable}`)
  })

  it("are not stored in the database unless they are references", async () => {
    const wrong = async (fields: string) => writtenSecret(text(fields), Either.getOrThrow(await read(fields)))?.message
    expect(await wrong('keys: ["${A}", { key: "${B}" }, { file: secret }]')).toBeUndefined()
    expect(await wrong('keys: ["${A}", sk-written]')).toContain("upstreams.up.keys.1: a secret is not stored")
    expect(await wrong("keys: [{ key: sk-written }]")).toContain("upstreams.up.keys.0.key: a secret is not stored")
  })
})
