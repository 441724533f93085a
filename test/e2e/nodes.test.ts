import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { version } from "../../package.json"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import type { PostgresServer } from "../sql/postgresServer.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { request } from "../request.ts"

const programs = postgresPrograms()
if (programs === undefined) console.log("SKIPPED: Postgres is not installed (Debian's package `postgresql`)")

const operator = { authorization: "Bearer admin-key-of-all-nodes-0123456789" }
const metered = "metered-key-0123456789abcdef"
const config = `
keys:
  - { name: metered, secret: ${metered}, balance_usd: 1 }
models:
  costly: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 100 } }
`

let server: PostgresServer
let sql: Bun.SQL
const nodes: Array<GatewayProcess> = []
const shared = mkdtempSync(join(tmpdir(), "gateway-nodes-"))
const folders = [shared]
const env = () => ({
  GATEWAY_DATABASE_URL: server.url,
  GATEWAY_SECRET: "one-secret-for-all-0123456789abcdef",
  GATEWAY_ADMIN_KEY: operator.authorization.slice("Bearer ".length),
  // The nodes share the sandbox's rendered videos.
  GATEWAY_DATA_DIRECTORY: shared
})

const start = async (): Promise<GatewayProcess> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-node-"))
  folders.push(folder)
  writeFileSync(join(folder, "gateway.yaml"), config)
  const node = await startGateway({ env: env(), folder })
  nodes.push(node)
  return node
}

beforeAll(async () => {
  if (programs === undefined) return
  server = await startPostgres(programs)
  sql = new Bun.SQL({ url: server.url, max: 2 })
})
afterAll(async () => {
  await sql?.close()
  for (const node of nodes) await node.dispose()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  await server?.dispose()
})

const call = async (node: GatewayProcess, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await request(node, path, {
    method: body === undefined ? "GET" : "POST",
    body,
    headers,
    signal: AbortSignal.timeout(60_000)
  })
  const text = await response.text()
  const id = response.headers.get("x-request-id") ?? ""
  return { status: response.status, text, id, json: () => JSON.parse(text) }
}

const videos = "/api/v3/contents/generations/tasks"
const video = { model: "sandbox-video", content: [{ type: "text", text: "A cat --resolution 480p --frames 29" }] }
const message = { model: "sandbox-text", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }
const costly = { ...message, model: "costly" }
const paying = { authorization: `Bearer ${metered}` }

const accepted = (node: GatewayProcess, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await call(node, videos, video)).json().id as string))

/** Tasks that the node works on: five seconds each. */
const held = async (node: GatewayProcess, count: number) => {
  const slow = { ...message, async: true, max_tokens: 200, messages: "[[sandbox: pace=50ms tokens=100]] Hi" }
  const made = await Promise.all(Array.from({ length: count }, () => call(node, "/v1/messages", slow)))
  const ids = made.map(({ json }) => json().id as string)
  const [own] = (await inTable()).filter(({ pid }) => pid === node.pid)
  const ofNode = `SELECT id FROM tasks WHERE lease_owner = '${String(own?.["id"])}'`
  await expect.poll(async () => (await ask(ofNode)).map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
  return ids
}

const areDone = (node: GatewayProcess, ids: ReadonlyArray<string>) =>
  expect
    .poll(
      async () => {
        const found = await Promise.all(ids.map((id) => call(node, `/v1/tasks/${id}`)))
        return new Set(found.map(({ json }) => json().status))
      },
      { timeout: 150_000 }
    )
    .toEqual(new Set(["success"]))

const allSucceed = (node: GatewayProcess, ids: ReadonlyArray<string>) =>
  expect
    .poll(
      async () => {
        const found = await Promise.all(ids.map((id) => call(node, `${videos}/${id}`)))
        return new Set(found.map(({ json }) => `${json().status} ${JSON.stringify(json().error ?? "")}`))
      },
      { timeout: 150_000 }
    )
    .toEqual(new Set(['succeeded ""']))

type Rows = ReadonlyArray<Record<string, unknown>>
const ask = async (text: string): Promise<Rows> => Array.from((await sql.unsafe(text)) as Rows)
const inTable = () => ask("SELECT id, pid::int AS pid FROM nodes")

describe.skipIf(programs === undefined)("several gateways on one Postgres", () => {
  it("start together, make the schema, the declared keys and the first key once, and grant once", async () => {
    await Promise.all([start(), start(), start()])
    expect(new Set((await inTable()).map(({ pid }) => pid))).toEqual(new Set(nodes.map(({ pid }) => pid)))
    expect(await ask("SELECT name, COUNT(*)::int AS n FROM keys GROUP BY name ORDER BY name")).toEqual([
      { name: "first key", n: 1 },
      { name: "metered", n: 1 }
    ])
    expect(await ask("SELECT SUM(nano_usd)::text AS sum FROM grants")).toEqual([{ sum: "1000000000" }])
    for (const node of nodes) expect((await call(node, "/v1/messages", message)).status).toBe(200)
  })

  it("are listed by a command, with what they are and hold", async () => {
    const { code, json } = await runCommand(nodes[0]!.folder, ["nodes", "--json"], env())
    expect(code).toBe(0)
    const listed = json<ReadonlyArray<Record<string, unknown>>>()
    const pids = listed.map(({ name }) => Number(String(name).split(":").at(-1)))
    expect(new Set(pids)).toEqual(new Set(nodes.map(({ pid }) => pid)))
    for (const node of listed) {
      expect(node).toMatchObject({ object: "node", version, tasks: 0, deliveries: 0 })
      expect(node["lag_seconds"]).toBeGreaterThanOrEqual(0)
    }
    const { out } = await runCommand(nodes[0]!.folder, ["nodes"], env())
    expect(out).toMatch(/^NODE +NAME +VERSION +SINCE +TASKS +CALLBACKS +LAG/)
    expect(out.trim().split("\n")).toHaveLength(4)
  })

  it("know a key, and no longer know it, within a second of the change at another", async () => {
    const [one, other] = nodes
    expect((await runCommand(one!.folder, ["accounts", "create", "team"], env())).code).toBe(0)
    const made = await runCommand(one!.folder, ["keys", "create", "n", "--account", "team", "--json"], env())
    const { key, secret } = made.json<{ key: { id: string }; secret: string }>()
    const opens = async (node: GatewayProcess) =>
      (await call(node, "/v1/models", undefined, { authorization: `Bearer ${secret}` })).status
    for (const node of nodes) expect(await opens(node)).toBe(200)
    expect((await runCommand(other!.folder, ["keys", "revoke", key.id], env())).code).toBe(0)
    for (const node of nodes) await expect.poll(() => opens(node)).toBe(401)
  })

  it("take both secrets of a key that one of them has rotated, and none of those before", async () => {
    const admin = async (node: GatewayProcess, path: string, body?: unknown) => {
      const answer = await call(node, `/admin/v1${path}`, body, operator)
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
      return answer.json()
    }
    const [one, other, third] = nodes
    const made = await runCommand(one!.folder, ["keys", "create", "rotated", "--json"], env())
    const { key, secret } = made.json<{ key: { id: string }; secret: string }>()
    const statuses = (secret: string) =>
      Promise.all(
        nodes.map(
          async (node) => (await call(node, "/v1/messages", message, { authorization: `Bearer ${secret}` })).status
        )
      )
    const rotate = async (node: GatewayProcess): Promise<string> =>
      (await admin(node, `/keys/${key.id}/rotate-secret`, { overlap_hours: 1 })).secret
    // Each knows the key, and may go on from memory.
    expect(await statuses(secret)).toEqual([200, 200, 200])
    const second = await rotate(other!)
    expect(await statuses(second)).toEqual([200, 200, 200])
    expect(await statuses(secret)).toEqual([200, 200, 200])
    /** Which secret each node says that it was sent, in its row of the request. */
    const told = (secret: string) =>
      Promise.all(
        nodes.map(async (node) => {
          const { id } = await call(node, "/v1/messages", message, { authorization: `Bearer ${secret}` })
          const row = () => call(third!, `/admin/v1/requests/${id}`, undefined, operator)
          await expect.poll(async () => (await row()).status).toBe(200)
          return (await row()).json().key_secret
        })
      )
    // A node may know the key from before for a moment.
    await expect.poll(() => told(secret)).toEqual(["old", "old", "old"])
    expect(await told(second)).toEqual(["new", "new", "new"])
    // Two at once, at two nodes: the one that comes second makes the other's secret the old one.
    const both = await Promise.all([rotate(one!), rotate(third!)])
    for (const fresh of both) expect(await statuses(fresh)).toEqual([200, 200, 200])
    for (const gone of [secret, second]) await expect.poll(() => statuses(gone)).toEqual([401, 401, 401])
  })

  it("answer twins at all of them once, and charge once", async () => {
    const spent = async () => (await call(nodes[0]!, "/v1/balance", undefined, paying)).json().settled.nano_usd
    expect((await call(nodes[0]!, "/v1/messages", costly, paying)).status).toBe(200)
    const once = await spent()
    expect(once).toBeGreaterThan(0)
    const twins = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        call(nodes[n % 3]!, "/v1/messages", costly, { ...paying, "idempotency-key": "once" })
      )
    )
    expect(new Set(twins.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(twins.map(({ text }) => text)).size).toBe(1)
    expect(await spent()).toBe(2 * once)
  })

  it("go on beside a schema that a newer gateway has expanded, which none of this version starts on", async () => {
    for (const table of ["tasks", "deliveries", "accounts", "keys", "usage", "holds"]) {
      await sql.unsafe(`ALTER TABLE ${table} ADD COLUMN of_later TEXT NOT NULL DEFAULT 'later'`)
    }
    const [{ version: schema } = { version: 0 }] = await ask("SELECT MAX(migration_id)::int AS version FROM migrations")
    await sql.unsafe(`INSERT INTO migrations (migration_id, name) VALUES (${Number(schema) + 1}, 'later')`)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => call(nodes[n % 3]!, "/v1/messages", n % 2 === 0 ? message : costly))
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await allSucceed(nodes[1]!, await accepted(nodes[0]!, 2))
    const { code, err, out } = await runCommand(nodes[0]!.folder, ["serve"], { ...env(), GATEWAY_PORT: "0" })
    expect([code, err + out]).toEqual([1, expect.stringContaining("it belongs to a newer gateway")])
    await sql.unsafe(`DELETE FROM migrations WHERE migration_id > ${Number(schema)}`)
  })

  it("take over the tasks of one that is killed", async () => {
    const [doomed, other] = nodes
    const ids = await accepted(doomed!, 4)
    const inHand = await held(doomed!, 5)
    doomed!.signal("SIGKILL")
    await doomed!.exited
    await areDone(other!, inHand)
    await allSucceed(other!, ids)
    expect((await inTable()).map(({ pid }) => pid)).not.toContain(doomed!.pid)
    nodes.shift()
  })

  it("take over the tasks of one that stops answering, which stores nothing of them when it wakes", async () => {
    const [paused, other] = nodes
    const ids = await held(paused!, 5)
    const former = (await inTable()).find(({ pid }) => pid === paused!.pid)?.["id"]
    paused!.signal("SIGSTOP")
    await areDone(other!, ids)
    expect((await inTable()).map(({ id }) => id)).not.toContain(former)
    const those = `SELECT id, state, updated_at::text, changes, result FROM tasks
      WHERE id IN ('${ids.join("', '")}') ORDER BY id`
    const ended = await ask(those)
    paused!.signal("SIGCONT")
    await expect.poll(async () => (await inTable()).map(({ pid }) => pid)).toContain(paused!.pid)
    await allSucceed(paused!, await accepted(paused!, 2))
    expect(await ask(those)).toEqual(ended)
  })

  it("leave nothing behind when they stop", async () => {
    const [one, other] = nodes
    const ids = await accepted(one!, 5)
    one!.signal("SIGTERM")
    expect(await one!.exited).toBe(0)
    expect((await inTable()).map(({ pid }) => pid)).toEqual([other!.pid])
    await allSucceed(other!, ids)
    const left = await ask(`SELECT (SELECT COALESCE(SUM(nano_usd), 0)::int FROM node_holds) AS held,
      (SELECT SUM(held_nano_usd)::int FROM accounts) AS of_accounts,
      (SELECT COUNT(*)::int FROM idempotency_claims) AS claims`)
    expect(left).toEqual([{ held: 0, of_accounts: 0, claims: 0 }])
  })
})
