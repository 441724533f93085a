import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { testKey } from "../e2e/process.ts"
import { families, familyNames, secretOf, startWorld, until, upstreamSecret } from "./world.ts"
import type { World } from "./world.ts"

const prompt = "PROMPT-marker-7Qx2"
const webhookSecret = "d2ViaG9vay1wbGFudGVkLXNlY3JldC0wMTIzNDU2Nzg5"
const planted: Readonly<Record<string, string>> = {
  "a client's key": secretOf("canary"),
  "the first key": testKey,
  "an upstream's key": upstreamSecret,
  "the webhook secret": webhookSecret,
  "the master secret": "master-planted-secret-0123456789-abcdef",
  "an unknown key": "sk-of-somebody-else-0123456789"
}

const callbacks: Array<string> = []
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    callbacks.push(JSON.stringify([...request.headers]) + (await request.text()))
    return new Response()
  }
})

let world: World
/** Every body that an error came with. */
const errors: Array<string> = []
beforeAll(async () => {
  world = await startWorld(["canary"], {
    balanceUsd: 100,
    env: {
      GATEWAY_WEBHOOK_SECRET: `whsec_${webhookSecret}`,
      GATEWAY_SECRET: planted["the master secret"]!,
      GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8",
      GATEWAY_METRICS: "true"
    }
  })
})
afterAll(async () => {
  await world.dispose()
  await receiver.stop(true)
})

const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${world.gateway().url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${planted["a client's key"]}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })
  const text = await response.text()
  if (response.status >= 400) errors.push(text)
  return { status: response.status, text }
}

/** Everything a client can do, and get wrong. */
const exercise = async () => {
  for (const family of familyNames) {
    const { body, path } = families[family]
    const named = JSON.parse(JSON.stringify(body).replace("Hello", prompt).replace("A cat", prompt)) as object
    for (const more of [{}, { stream: true }]) {
      const headers = { "idempotency-key": `canary-${family}-${JSON.stringify(more)}` }
      await post(path, { ...named, ...more }, headers)
      await post(path, { ...named, ...more }, headers)
      await post(path, { ...named, ...more, metadata: { user_id: "x" }, seed: 5 }, headers)
    }
    world.up.failNext(1)
    await post(path, named)
    world.up.failNext(0)
    await post(path, { ...named, model: "nobody" })
    await post(path, `{"model": "paid", "broken`)
    await post(path, { ...named, max_tokens: -1, max_output_tokens: -1, duration: 99 })
    for (const authorization of [planted["an unknown key"]!, `Bearer ${planted["an unknown key"]}`, "Basic x"]) {
      await post(path, named, { authorization })
    }
    await post(`${path}/some/where`, named)
  }
  // The default account's callbacks are signed with the operator's secret.
  const bearer = { authorization: `Bearer ${testKey}` }
  const { body, path } = families.videos
  await post(path, { ...body, callback_url: `http://127.0.0.1:${receiver.port}/` }, bearer)
  await post(path, { ...body, callback_url: "http://169.254.169.254/" }, bearer)
  await until(
    () => callbacks.length,
    (count) => count >= 2
  )
  await until(
    () => world.account("canary"),
    ({ held }) => held === 0
  )
}

/** Columns whose purpose is to keep what was said. */
const kept = ["responses.", "response_items.", "kept_answers.answer", "tasks.result"]

describe("what was planted", () => {
  it("is found nowhere but where the prompt is kept on purpose", async () => {
    await exercise()
    const metrics = await (await fetch(`${world.gateway().url}/metrics`)).text()
    const log = await until(
      () => world.gateway().output(),
      (text) => text.includes("/v1/responses")
    )
    expect(errors.length).toBeGreaterThan(20)
    const places = { log, metrics, errors: errors.join("\n"), callbacks: callbacks.join("\n"), ...cells() }
    for (const [place, text] of Object.entries(places)) {
      for (const [name, secret] of Object.entries(planted)) {
        expect(text.includes(secret), `${name} in ${place}`).toBe(false)
      }
      const mayHold = kept.some((prefix) => place.startsWith(prefix))
      expect(text.includes(prompt) && !mayHold, `the prompt in ${place}`).toBe(false)
    }
    // Not even in pages that are free again, or in the write-ahead log.
    for (const file of files(join(world.folder, "data"))) {
      const bytes = readFileSync(file).toString("latin1")
      for (const [name, secret] of Object.entries(planted)) {
        expect(bytes.includes(secret), `${name} in ${file}`).toBe(false)
      }
    }
    // The markers would have been found: the prompt is where it belongs.
    expect(Object.entries(places).some(([, text]) => text.includes(prompt))).toBe(true)
  })
})

/** Every cell of the database, by table and column. */
const cells = (): Record<string, string> => {
  const db = new Database(join(world.folder, "data/gateway.db"), { readonly: true })
  const found: Record<string, string> = {}
  const tables = db.query(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as Array<{ name: string }>
  for (const { name } of tables) {
    for (const row of db.query(`SELECT * FROM "${name}"`).all() as Array<Record<string, unknown>>) {
      for (const [column, value] of Object.entries(row)) {
        const text = value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)
        found[`${name}.${column}`] = `${found[`${name}.${column}`] ?? ""}\n${text}`
      }
    }
  }
  db.close()
  return found
}

const files = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
