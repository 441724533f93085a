import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { request } from "../request.ts"
import { pacedUpstream } from "./pacedUpstream.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess, StartOptions } from "./process.ts"

const programs = postgresPrograms()
if (programs === undefined) console.log("SKIPPED: Postgres is not installed (Debian's package `postgresql`)")

const secret = "rich-secret-0123456789-0123456789"
const upstream = pacedUpstream("openai-chat")
const disposing: Array<() => Promise<unknown>> = [() => upstream.stop()]
afterAll(async () => {
  for (const dispose of disposing.toReversed()) await dispose()
})

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-killed-"))
  disposing.push(async () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: { runs: { provider: "mistral", api_key: "upstream-key", base_url: upstream.url } },
      models: { m: { routes: [{ upstream: "runs" }], price: { input: 1_000, output: 1_000 } } },
      keys: [{ name: "rich", secret, balance_usd: 1_000 }]
    })
  )
  return folder
}

const start = async (options: StartOptions): Promise<GatewayProcess> => {
  const gateway = await startGateway(options)
  disposing.push(() => gateway.dispose())
  return gateway
}

let count = 0
/** A client that has left its answer, which is being read on. */
const leave = async (gateway: GatewayProcess, stream: boolean, headers: Record<string, string> = {}) => {
  const id = `k${count++}`
  const leaving = new AbortController()
  const answer = request(gateway, "/v1/chat/completions", {
    key: secret,
    body: { model: "m", stream, messages: [{ role: "user", content: `call:${id} ` }] },
    headers: { "x-gateway-tags": id, ...headers },
    signal: leaving.signal
  })
  answer.catch(() => {})
  await expect.poll(() => upstream.state(id)).toBe("open")
  if (stream) await (await answer).body?.getReader().read()
  leaving.abort()
  await Bun.sleep(300)
  expect(upstream.state(id)).toBe("open")
  return id
}

const balance = async (gateway: GatewayProcess) => {
  const response = await request(gateway, "/v1/balance", { key: secret })
  const { available, held } = (await response.json()) as Record<"available" | "held", { usd: string }>
  return { available: Number(available.usd), held: Number(held.usd) }
}

/** The sum of what the ledger charged, and the row of a request. */
const rowOf = async (gateway: GatewayProcess, tag: string) => {
  const rows = async () => {
    const response = await request(gateway, `/v1/requests?tag=${tag}`, { key: secret })
    return ((await response.json()) as { data: ReadonlyArray<{ cost_usd: number; notes: ReadonlyArray<string> }> }).data
  }
  await expect.poll(rows).toHaveLength(1)
  return (await rows())[0]
}

describe("a gateway that reads on without clients", () => {
  it("holds nothing after a kill, on SQLite", async () => {
    const folder = newFolder()
    const first = await startGateway({ folder })
    for (const stream of [true, false]) await leave(first, stream)
    expect((await balance(first)).held).toBeGreaterThan(0)
    first.signal("SIGKILL")
    await first.exited
    const second = await start({ folder })
    expect(await balance(second)).toEqual({ available: 1_000, held: 0 })
  })

  it("charges what was read when it stops, on SQLite", async () => {
    const folder = newFolder()
    const first = await startGateway({ folder, env: { GATEWAY_DRAIN_SECONDS: "1" } })
    const ids = [await leave(first, true), await leave(first, false)]
    first.signal("SIGTERM")
    await first.exited
    const second = await start({ folder })
    const rows = await Promise.all(ids.map((id) => rowOf(second, id)))
    expect(rows).toMatchObject(ids.map(() => ({ error: "hang_up", notes: ["usage_counted"] })))
    const charged = rows.reduce((sum, row) => sum + Number(row?.cost_usd), 0)
    expect(charged).toBeGreaterThan(0)
    const { available, held } = await balance(second)
    expect([available, held]).toEqual([expect.closeTo(1_000 - charged, 6), 0])
  })

  it.skipIf(programs === undefined)(
    "holds nothing after a kill, on Postgres, and its workers read on",
    async () => {
      const server = await startPostgres(programs ?? "")
      disposing.push(() => server.dispose())
      const env = { GATEWAY_DATABASE_URL: server.url, GATEWAY_SECRET: "one-secret-for-all-0123456789abcdef" }
      const doomed = await start({ folder: newFolder(), env })
      const other = await start({ folder: newFolder(), env: { ...env, GATEWAY_WORKERS: "2" } })
      for (const stream of [true, false]) await leave(doomed, stream)
      const ids = [await leave(other, true), await leave(other, false)]
      // The retry of an answer that another node reads on gets that answer.
      const headers = { "idempotency-key": "of-both" }
      const kept = await leave(other, false, headers)
      const body = { model: "m", stream: false, messages: [{ role: "user", content: `call:${kept} ` }] }
      const retry = request(doomed, "/v1/chat/completions", { key: secret, body, headers })
      await Bun.sleep(300)
      upstream.release(kept)
      expect((await retry).headers.get("idempotent-replayed")).toBe("true")
      expect(upstream.times(kept)).toBe(1)
      ids.push(kept)
      const both = (await balance(other)).held
      expect(both).toBeGreaterThan(0)
      doomed.signal("SIGKILL")
      await expect.poll(async () => (await balance(other)).held, { timeout: 60_000 }).toBeLessThan(both)
      for (const id of ids) upstream.release(id)
      const rows = await Promise.all(ids.map((id) => rowOf(other, id)))
      expect(rows).toMatchObject(ids.map(() => ({ error: "hang_up", notes: [] })))
      const charged = rows.reduce((sum, row) => sum + Number(row?.cost_usd), 0)
      await expect
        .poll(() => balance(other), { timeout: 60_000 })
        .toEqual({ available: expect.closeTo(1_000 - charged, 6), held: 0 })
    },
    180_000
  )
})
