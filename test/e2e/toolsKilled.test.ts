import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "@effect/vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { startRounds } from "./toolRounds.ts"
import type { Place } from "./toolRounds.ts"
import { toolWays } from "./toolWays.ts"

const secret = "sk-killed-0123456789abcdefghij"
const rounds = startRounds()
afterAll(() => rounds.stop())

const folderOf = (server: object = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-tools-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: { chat: { protocol: "openai-chat", base_url: rounds.modelUrl } },
      models: { house: { routes: [{ upstream: "chat" }], price: { input: 1_000, output: 1_000 } } },
      mcp: { servers: { s: { url: rounds.serverUrl("trusted"), trusted: true, ...server } } },
      keys: [{ name: "rich", secret, balance_usd: 1_000 }]
    })
  )
  return folder
}

const { background, responses, send, streamed, ways } = toolWays({ secret, serverUrl: rounds.serverUrl })
let count = 0

/** Keeps the gateway from writing, until it is let go. */
const lock = async (folder: string, url: string | undefined): Promise<() => Promise<void>> => {
  if (url === undefined) {
    const database = new Database(join(folder, "data", "gateway.db"))
    database.exec("PRAGMA busy_timeout = 30000; BEGIN IMMEDIATE")
    return async () => database.close()
  }
  const sql = new Bun.SQL({ url, max: 1 })
  await sql.unsafe("BEGIN; LOCK TABLE tool_rounds IN EXCLUSIVE MODE").simple()
  return () => sql.close()
}

const spent = async (gateway: GatewayProcess) => {
  const { available, held } = (await (await send(gateway, "/v1/balance", undefined)).json()) as Record<
    "available" | "held",
    { usd: string }
  >
  return [Math.round((1_000 - Number(available.usd)) * 1e6) / 1e6, Number(held.usd)]
}

const places: ReadonlyArray<readonly [Place, string]> = [
  ["list", "a server was asked for its tools"],
  ["unsent", "a call was written down, and its server did nothing"],
  ["sent", "a server made a call, and did not answer"],
  ["answered", "a call was answered, and its end not written down"],
  ["between", "the model was asked for its next round"]
]

const env = { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8", GATEWAY_SECRET: "one-secret-for-all-0123456789abcdef" }

describeOnEach("answers with calls of tools, after kill -9", () => {
  it.each(places)("%s: go on once %s", async (place) => {
    const database = await gatewayEnv(`killed-${place}`)
    const folder = folderOf()
    const first = await startGateway({ folder, env: { ...env, ...database } })
    const all = ways(++count)
    rounds.parkAt(place, [...all.map(({ id }) => id), ...(place === "answered" ? [] : [`l${count}`])])
    // One without a key, which waits for no write of a journal.
    const live = place === "answered" ? [] : [`l${count}`]
    const left = live.map((id) => send(first, "/v1/responses", responses(id)).then((answer) => answer.text()))
    for (const one of left) one.catch(() => {})
    await Promise.all(all.map(({ begin }) => begin(first)))
    await expect.poll(() => rounds.missing(), { timeout: 120_000 }).toEqual([])
    const unlock = place === "answered" ? await lock(folder, database["GATEWAY_DATABASE_URL"]) : async () => {}
    if (place === "answered") await rounds.answer()
    first.signal("SIGKILL")
    await first.exited
    await unlock()
    rounds.leave()
    const second = await startGateway({ folder, env: { ...env, ...database } })
    try {
      const isLost = place === "unsent" || place === "sent" || place === "answered"
      for (const { end, id } of all) {
        const { calls, text } = await end(second)
        expect(text, id).toContain("done after 3")
        const outcomes = calls.map((call) => (call.includes("It is not known") ? "unknown" : call.includes(id)))
        expect(outcomes, id).toEqual([true, isLost ? "unknown" : true, true])
        expect(rounds.callsOf(id), id).toEqual([1, place === "unsent" ? 0 : 1, 1])
      }
      // Nothing repeats it, and nothing charges it.
      for (const one of left) await expect(one).rejects.toThrow()
      for (const id of live) expect(Math.max(...rounds.callsOf(id))).toBeLessThanOrEqual(1)
      // Four rounds of 28 tokens for each, once.
      await expect.poll(() => spent(second)).toEqual([(all.length * 4 * 28) / 1_000, 0])
    } finally {
      await second.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("end where readers have words that no other answer would continue", async () => {
    const database = await gatewayEnv("killed-words")
    const folder = folderOf()
    const first = await startGateway({ folder, env: { ...env, ...database } })
    const way = streamed(`s${++count}`)
    rounds.parkAt("words", [way.id])
    await way.begin(first)
    await expect.poll(() => way.seen().some(({ type }) => type === "response.output_text.delta")).toBe(true)
    first.signal("SIGKILL")
    await first.exited
    rounds.leave()
    const second = await startGateway({ folder, env: { ...env, ...database } })
    try {
      const ended = await way.read(second)
      expect(ended.status).toBe("failed")
      expect(ended.output.map(({ status, type }) => `${type} ${status ?? ""}`)).toEqual([
        "mcp_list_tools ",
        ...Array.from({ length: 3 }, () => "mcp_call completed"),
        "message incomplete"
      ])
      expect(rounds.callsOf(way.id)).toEqual([1, 1, 1])
      await expect.poll(() => spent(second)).toEqual([0, 0])
    } finally {
      await second.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("pay for the calls of all runs, whose money is held on for the next one", async () => {
    const database = await gatewayEnv("killed-paid")
    const folder = folderOf({ price_per_call: 100 })
    const first = await startGateway({ folder, env: { ...env, ...database } })
    const way = background(`p${++count}`, {
      tools: [{ type: "mcp", server_label: "s", require_approval: "never" }],
      max_output_tokens: 100
    })
    rounds.parkAt("between", [way.id])
    await way.begin(first)
    await expect.poll(() => rounds.missing(), { timeout: 120_000 }).toEqual([])
    const [, held = 0] = await spent(first)
    first.signal("SIGKILL")
    await first.exited
    rounds.leave()
    const second = await startGateway({ folder, env: { ...env, ...database } })
    try {
      expect((await way.end(second)).text).toContain("done after 3")
      expect(held).toBeGreaterThan(200)
      await expect.poll(() => spent(second)).toEqual([300 + (4 * 28) / 1_000, 0])
    } finally {
      await second.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("call a tool again that only reads, of a server that is trusted", async () => {
    const database = await gatewayEnv("killed-trusted")
    const folder = folderOf()
    const first = await startGateway({ folder, env: { ...env, ...database } })
    const tools = [{ type: "mcp", server_label: "s", require_approval: "never" }]
    const way = background(`t${++count}`, { tools })
    rounds.parkAt("sent", [way.id])
    await way.begin(first)
    await expect.poll(() => rounds.missing(), { timeout: 120_000 }).toEqual([])
    first.signal("SIGKILL")
    await first.exited
    rounds.leave()
    const second = await startGateway({ folder, env: { ...env, ...database } })
    try {
      const { calls, text } = await way.end(second)
      expect(text).toContain("done after 3")
      expect(calls).toEqual([0, 1, 2].map((n) => `${way.id} made ${n}`))
      expect(rounds.callsOf(way.id)).toEqual([1, 2, 1])
    } finally {
      await second.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describeOnEach("answers with calls of tools, after the upstream refuses a later round", () => {
  it("go on behind their calls", async () => {
    const folder = folderOf()
    const gateway = await startGateway({ folder, env: { ...env, ...(await gatewayEnv("refused")) } })
    try {
      const all = ways(++count)
      // Each run asks three times. Tasks meet the refusal at the beginning of their second run too.
      for (const { id, left } of all) rounds.refuse(id, left === undefined ? 5 : 3)
      await Promise.all(all.map(({ begin }) => begin(gateway)))
      for (const { left } of all) await left?.()
      for (const { end, id } of all) {
        const { calls, text } = await end(gateway)
        expect(text, id).toContain("done after 3")
        expect(
          calls.map((call) => call.includes(id)),
          id
        ).toEqual([true, true, true])
        expect(rounds.callsOf(id), id).toEqual([1, 1, 1])
      }
      await expect.poll(() => spent(gateway)).toEqual([(all.length * 4 * 28) / 1_000, 0])
    } finally {
      await gateway.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
