import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { startRounds } from "./toolRounds.ts"
import type { Place } from "./toolRounds.ts"

const secret = "sk-killed-0123456789abcdefghij"
const rounds = startRounds()
afterAll(() => rounds.stop())

const folderOf = () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-tools-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: { chat: { protocol: "openai-chat", base_url: rounds.modelUrl } },
      models: { house: { routes: [{ upstream: "chat" }], price: { input: 1_000, output: 1_000 } } },
      keys: [{ name: "rich", secret, balance_usd: 1_000 }]
    })
  )
  return folder
}

/** An answer that a client waited for, or asks for again. */
interface Answer {
  readonly text: string
  /** The ends of its calls, in order. */
  readonly calls: ReadonlyArray<string>
}

/** A way in which a request outlives its process. */
interface Way {
  readonly id: string
  /** Begins it; later steps need what it returns. */
  readonly begin: (gateway: GatewayProcess) => Promise<void>
  readonly end: (gateway: GatewayProcess) => Promise<Answer>
}

const inOutput = ({ output }: { output: ReadonlyArray<Record<string, unknown>> }): Answer => ({
  text: JSON.stringify(output.findLast(({ type }) => type === "message")),
  calls: output.flatMap(({ error, output, type }) =>
    type === "mcp_call" ? [error === null ? String(output) : JSON.stringify(error)] : []
  )
})

const responses = (id: string, more: object = {}) => ({
  model: "house",
  input: `run ${id}`,
  max_output_tokens: 500,
  tools: [{ type: "mcp", server_label: "s", server_url: rounds.serverUrl(id), require_approval: "never" }],
  ...more
})

const send = (gateway: GatewayProcess, path: string, body: unknown, headers: Record<string, string> = {}) =>
  request(gateway, path, { key: secret, headers, ...(body !== undefined && { body }) })

interface Frame {
  readonly type: string
  readonly sequence_number: number
  readonly response?: { readonly id: string; readonly status: string; readonly output: ReadonlyArray<{ id: string }> }
  readonly item?: { readonly id: string }
}

/** Reads a stream until it ends or breaks off. */
const frames = async (answer: Response, seen: Array<Frame>) => {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const next = await reader?.read().catch(() => undefined)
    if (next === undefined || next.done) return
    const lines = (rest + next.value).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("data: {")) seen.push(JSON.parse(line.slice("data: ".length)))
  }
}

const polled = async <A extends { status: string }>(read: () => Promise<A>): Promise<A> => {
  let last: A | undefined
  await expect
    .poll(async () => (last = await read()).status, { timeout: 120_000 })
    .toMatch(/^(completed|failed|success|incomplete)$/)
  if (last === undefined) throw new Error("nothing was read")
  return last
}

const background = (id: string): Way => {
  let response = ""
  return {
    id,
    begin: async (gateway) => {
      const answer = await send(gateway, "/v1/responses", responses(id, { background: true }))
      response = (await answer.json()).id
    },
    end: async (gateway) =>
      inOutput(await polled(async () => (await send(gateway, `/v1/responses/${response}`, undefined)).json()))
  }
}

const streamed = (id: string): Way => {
  const seen: Array<Frame> = []
  return {
    id,
    begin: async (gateway) => {
      const answer = await send(gateway, "/v1/responses", responses(id, { background: true, stream: true }))
      void frames(answer, seen)
    },
    end: async (gateway) => {
      const response = seen[0]?.response?.id
      const after = seen.at(-1)?.sequence_number
      await frames(
        await send(gateway, `/v1/responses/${response}?stream=true&starting_after=${after}`, undefined),
        seen
      )
      expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, index) => index))
      const last = seen.at(-1)?.response
      expect(last?.status).toBe("completed")
      const shown = seen.flatMap(({ item, type }) => (type === "response.output_item.done" ? [item?.id] : []))
      expect(last?.output.map((item) => item.id)).toEqual(shown)
      return inOutput(await (await send(gateway, `/v1/responses/${response}`, undefined)).json())
    }
  }
}

const keyed = (id: string, stream: boolean): Way => {
  const ask = (gateway: GatewayProcess) =>
    send(gateway, "/v1/responses", responses(id, { stream }), { "idempotency-key": id })
  return {
    id,
    begin: async (gateway) => {
      const left = ask(gateway).then((answer) => answer.text())
      left.catch(() => {})
    },
    end: async (gateway) => {
      const answer = await ask(gateway)
      expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, null])
      if (!stream) return inOutput(await answer.json())
      const seen: Array<Frame> = []
      await frames(answer, seen)
      const again = await ask(gateway)
      expect(again.headers.get("idempotent-replayed")).toBe("true")
      await again.text()
      const last = seen.at(-1)?.response
      return inOutput({ output: (last?.output ?? []).map((item) => ({ ...item })) })
    }
  }
}

const message = (id: string): Way => {
  let task = ""
  const body = {
    model: "house",
    max_tokens: 500,
    async: true,
    messages: [{ role: "user", content: `run ${id}` }],
    mcp_servers: [{ type: "url", name: "s", url: rounds.serverUrl(id) }],
    tools: [{ type: "mcp_toolset", mcp_server_name: "s" }]
  }
  return {
    id,
    begin: async (gateway) => {
      const answer = await send(gateway, "/v1/messages", body, { "anthropic-beta": "mcp-client-2025-11-20" })
      task = (await answer.json()).id
    },
    end: async (gateway) => {
      const { result } = await polled<{ status: string; result?: { content: ReadonlyArray<Record<string, unknown>> } }>(
        async () => (await send(gateway, `/v1/tasks/${task}`, undefined)).json()
      )
      const content = result?.content ?? []
      return {
        text: JSON.stringify(content.at(-1)),
        calls: content.flatMap(({ content, type }) => (type === "mcp_tool_result" ? [JSON.stringify(content)] : []))
      }
    }
  }
}

let count = 0
const ways = (): ReadonlyArray<Way> => {
  const n = ++count
  return [background(`b${n}`), streamed(`s${n}`), keyed(`w${n}`, false), keyed(`k${n}`, true), message(`m${n}`)]
}

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

describeOnEach("answers with calls of tools, after kill -9", () => {
  it.each(places)("%s: go on once %s", async (place) => {
    const env = { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8", GATEWAY_SECRET: "one-secret-for-all-0123456789abcdef" }
    const database = await gatewayEnv(`killed-${place}`)
    const folder = folderOf()
    const first = await startGateway({ folder, env: { ...env, ...database } })
    const all = ways()
    rounds.parkAt(place, [...all.map(({ id }) => id), `l${count}`])
    // One without a key, which waits for no write of a journal.
    const live = place === "answered" ? [] : [`l${count}`]
    const left = live.map((id) => send(first, "/v1/responses", responses(id)).then((answer) => answer.text()))
    for (const one of left) one.catch(() => {})
    await Promise.all(all.map(({ begin }) => begin(first)))
    await expect.poll(() => rounds.parked(), { timeout: 120_000 }).toBe(all.length + live.length)
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
})
