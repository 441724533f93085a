import { Database } from "bun:sqlite"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freePort } from "../freePort.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { endOf, line, resultsOf, startBatches } from "./batchGateway.ts"
import type { BatchGateway } from "./batchGateway.ts"

const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }
/** 20 tokens at 3 $ and 8 at 7 $ a million, in nano-dollars. */
const cost = 20 * 3_000 + 8 * 7_000

/** An upstream of chat completions that may be away; it counts its answers by the text of their requests. */
const startModel = (port: number, status: () => number) => {
  const answers = new Map<string, number>()
  let refused = 0
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const text = String(((await request.json()) as { messages: [{ content: unknown }] }).messages[0].content)
      if (status() !== 200 || text === "poison") {
        refused++
        return new Response("away", { status: text === "poison" ? 500 : status() })
      }
      answers.set(text, (answers.get(text) ?? 0) + 1)
      const message = { role: "assistant", content: `answers ${text}` }
      return Response.json({
        id: "c",
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage
      })
    }
  })
  return { answers, refused: () => refused, stop: () => server.stop(true) }
}

describeOnEach("lines of batches whose upstream is away", (engine) => {
  const [busyPort, gonePort] = [freePort(), freePort()]
  let status = 503
  let gateway: BatchGateway
  let env: Readonly<Record<string, string>>
  const busy = startModel(busyPort, () => status)
  beforeAll(async () => {
    const at = (port: number) => ({ protocol: "openai-chat", base_url: `http://127.0.0.1:${port}/v1` })
    const model = (upstream: string) => ({ routes: [{ upstream, model: "m" }], price: { input: 3, output: 7 } })
    env = await gatewayEnv(`away-${engine.name}`)
    gateway = await startBatches(env, {
      upstreams: { busy: at(busyPort), gone: at(gonePort) },
      models: { busy: model("busy"), gone: model("gone") }
    })
  })
  afterAll(() => Promise.all([gateway.dispose(), busy.stop()]))

  const account = async (name: string) => {
    const { held, settled } = await gateway.admin("GET", `/accounts/${name}`)
    return { held: held.nano_usd, settled: settled.nano_usd }
  }

  it("wait until it answers, beside others, and are charged once", async () => {
    await gateway.admin("POST", "/accounts/one/credit", { usd: 1, note: "test" })
    await gateway.admin("POST", "/accounts/two/credit", { usd: 1, note: "test" })
    const client = gateway.anthropic("one")
    const requests = Array.from({ length: 6 }, (_, n) => line(`n${n}`, `text ${n}`, n % 2 === 0 ? "busy" : "gone"))
    const { id } = await client.messages.batches.create({ requests })
    const openai = gateway.openai("two")
    const inFile = (custom_id: string, model: string, content: string) =>
      JSON.stringify({
        custom_id,
        method: "POST",
        url: "/v1/chat/completions",
        body: { model, messages: [{ role: "user", content }] }
      })
    const lines = [inFile("far", "gone", "of a file"), inFile("near", "sandbox-text", "Hello!")]
    const file = new File([lines.join("\n")], "in.jsonl")
    const { id: input_file_id } = await openai.files.create({ file, purpose: "batch" })
    const filed = await openai.batches.create({
      input_file_id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h"
    })
    const completed = async () => (await openai.batches.retrieve(filed.id)).request_counts
    await expect.poll(completed, { timeout: 20_000 }).toEqual({ total: 2, completed: 1, failed: 0 })
    await expect.poll(() => busy.refused(), { timeout: 20_000 }).toBeGreaterThan(3)
    expect((await client.messages.batches.retrieve(id)).processing_status).toBe("in_progress")
    const gone = startModel(gonePort, () => 200)
    status = 200
    try {
      expect((await endOf(client, id)).request_counts).toMatchObject({ succeeded: 6, errored: 0 })
      const results = await resultsOf(client, id)
      for (let n = 0; n < 6; n++) expect(results[`n${n}`].message.content[0].text).toBe(`answers text ${n}`)
      await expect
        .poll(async () => (await openai.batches.retrieve(filed.id)).status, { timeout: 60_000 })
        .toBe("completed")
      const output = (await openai.batches.retrieve(filed.id)).output_file_id ?? ""
      expect(await (await openai.files.content(output)).text()).toContain("answers of a file")
      // Each was answered once, and nothing is held.
      expect([...busy.answers.values(), ...gone.answers.values()]).toEqual(Array.from({ length: 7 }, () => 1))
      await expect.poll(() => account("one")).toEqual({ held: 0, settled: 6 * cost })
      await expect.poll(() => account("two")).toEqual({ held: 0, settled: cost })
    } finally {
      await gone.stop()
    }
  }, 120_000)

  /** Has the line's last try begin now, as if hours had passed. */
  const hurry = async (id: string): Promise<number> => {
    const url = env["GATEWAY_DATABASE_URL"]
    const update = (values: string) =>
      `UPDATE batch_lines SET next_at = 0, attempts = 4 WHERE batch_id = ${values} AND attempts > 0 AND node IS NULL RETURNING place`
    if (url === undefined) {
      const database = new Database(join(gateway.folder, "data", "gateway.db"))
      database.exec("PRAGMA busy_timeout = 5000")
      const found = database.query(update("?")).all(id)
      database.close()
      return found.length
    }
    const sql = new Bun.SQL({ url, max: 1 })
    const found = await sql.unsafe(update("$1"), [id])
    await sql.close()
    return found.length
  }

  it("end with its failure after five tries if it fails them alone", async () => {
    status = 200
    const client = gateway.anthropic("single")
    const { id } = await client.messages.batches.create({
      requests: [line("bad", "poison", "busy"), line("good", "good", "busy")]
    })
    await expect.poll(() => hurry(id), { timeout: 20_000 }).toBe(1)
    const ended = await endOf(client, id)
    expect(ended.request_counts).toMatchObject({ succeeded: 1, errored: 1 })
    expect((await resultsOf(client, id)).bad).toMatchObject({
      type: "errored",
      error: { error: { type: "internal_server_error", message: expect.stringContaining("upstream") } }
    })
    expect(busy.answers.get("good")).toBe(1)
  }, 60_000)
})
