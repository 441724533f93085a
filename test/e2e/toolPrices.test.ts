import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"
import { startCallingModel, startDice } from "./callingModel.ts"
import { until } from "./videoTask.ts"

const dice = startDice()
const chat = startCallingModel()

/** A server that does not answer calls. */
let arrived = Promise.withResolvers<void>()
const silent = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const { id, method } = await asked.json()
    if (method === "tools/call") {
      arrived.resolve()
      return new Promise<Response>(() => {})
    }
    const tools = [{ name: "wait", inputSchema: { type: "object" } }]
    return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", tools } })
  }
})

/** A model that calls a tool for as long as it has one. */
const eager = fakeUpstream("openai-chat", {
  answer: ({ body }: Asked) => {
    const calls = [
      { id: `c${body.messages.length}`, type: "function", function: { name: "dice__roll", arguments: '{"sides":6}' } }
    ]
    const isLast = body.tools === undefined || body.tools.length === 0
    return Response.json({
      id: "c",
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: isLast ? "Done" : null, ...(!isLast && { tool_calls: calls }) },
          finish_reason: isLast ? "stop" : "tool_calls"
        }
      ],
      usage: { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 }
    })
  }
})
afterAll(() => Promise.all([dice.stop(), chat.stop(), eager.stop(), silent.stop(true)]))
beforeEach(() => {
  chat.want("dice__roll")
  dice.seen.length = 0
})

const secretOf = (name: string) => `sk-${name}-0123456789abcdefghijklm`
const names = ["rich", "few", "background", "unmetered", "poor", "budgeted"]
const key = (name: string, more: object = {}) => ({ name, secret: secretOf(name), account: name, ...more })
const config = {
  upstreams: {
    chat: { protocol: "openai-chat", base_url: `${chat.url}/v1` },
    eager: { protocol: "openai-chat", base_url: `${eager.url}/v1` }
  },
  models: {
    free: { routes: [{ upstream: "chat" }], price: { input: 0, output: 0 } },
    paid: { routes: [{ upstream: "chat" }], price: { input: 1, output: 2 } },
    eager: { routes: [{ upstream: "eager" }], price: { input: 1, output: 1 } }
  },
  mcp: {
    servers: {
      dice: { url: dice.url, price_per_call: { "*": 0.000_000_003, roll: 0.01 } },
      silent: { url: `http://127.0.0.1:${silent.port}/mcp`, price_per_call: 0.5 },
      leaving: { url: "", price_per_call: 1 }
    }
  },
  keys: [
    key("rich", { balance_usd: 100 }),
    key("few", { balance_usd: 0.05 }),
    key("background", { balance_usd: 0.05 }),
    key("poor", { balance_usd: 0.009 }),
    key("unmetered"),
    key("budgeted", { budgets: [{ usd: 0.025, per: "day" }] })
  ]
}

const tool = (over: object = {}) => ({ type: "mcp", server_label: "dice", require_approval: "never", ...over })

describeOnEach("prices of calls", () => {
  let gateway: GatewayHere
  const leaving = startDice()
  beforeAll(async () => {
    config.mcp.servers.leaving.url = leaving.url
    const folder = mkdtempSync(join(tmpdir(), "gateway-tools-"))
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    gateway = await startGateway({ folder, env: await gatewayEnv("prices") })
  })
  afterAll(() => Promise.all([gateway.dispose(), leaving.stop()]))

  const send = (name: string, path: string, body?: object) =>
    request({ url: gateway.url, key: secretOf(name) }, path, body === undefined ? {} : { body })
  const balance = async (name: string) => {
    const { available, held } = (await (await send(name, "/v1/balance")).json()) as Record<
      "available" | "held",
      { nano_usd: string; usd: string }
    >
    return { available: Math.round(Number(available.usd) * 1e9), held: Number(held.usd) }
  }
  const ask = async (name: string, model: string, more: object = {}) => {
    const answer = await send(name, "/v1/responses", { model, input: "Roll a die", tools: [tool()], ...more })
    return { answer, id: answer.headers.get("x-request-id") ?? "", text: await answer.text() }
  }
  const row = (name: string, id: string) =>
    until(
      async () => (await (await send(name, `/v1/requests/${id}`)).json()) as RequestView & Record<string, never>,
      (view) => view.cost_usd !== undefined && view.cost_usd !== null
    )
  const call = (name: string, tool: string, server = "dice") =>
    send(name, `/mcp/${server}`, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: { sides: 6 } }
    })
  const calls = () => dice.seen.filter(({ method }) => method === "tools/call").length

  it.each([false, true])("are charged with the answer, and told (stream: %s)", async (stream) => {
    chat.want("dice__roll", "dice__cheat_now", "dice__roll")
    const before = await balance("rich")
    const { id, text } = await ask("rich", "paid", { stream })
    expect(text).toContain("It said")
    // 40 tokens of input at 1 $, 16 of output at 2 $ a million: 72,000 nano-dollars; the failed call has left too.
    const cost = 20_000_003 + 72_000
    expect(await balance("rich")).toEqual({ available: before.available - cost, held: 0 })
    const view = await row("rich", id)
    expect(view).toMatchObject({
      cost_usd: cost / 1e9,
      cost: {
        lines: [
          { of: "input_tokens", count: 40 },
          { of: "output_tokens", count: 16 },
          { of: "dice/roll", count: 2, price_usd: 0.01, per: 1 },
          { of: "dice/cheat.now", count: 1, price_usd: 3e-9 }
        ]
      }
    })
    expect(JSON.stringify(view)).toMatch(/"cost_usd":0.01/)
  })

  it("are all that an answer of a free model costs", async () => {
    const before = await balance("rich")
    const { id } = await ask("rich", "free")
    expect((await balance("rich")).available).toBe(before.available - 10_000_000)
    expect(await row("rich", id)).toMatchObject({
      cost_usd: 0.01,
      cost: { lines: [{ of: "dice/roll", count: 1 }] }
    })
  })

  it("count for an account without a balance, which is refused nothing", async () => {
    const { id } = await ask("unmetered", "free")
    expect(await row("unmetered", id)).toMatchObject({ cost_usd: 0.01 })
  })

  it("are not paid for calls that the balance does not cover, which don't leave", async () => {
    const before = await balance("poor")
    const { text } = await ask("poor", "free")
    expect(text).toContain("No more calls are allowed")
    expect(calls()).toBe(0)
    expect(await balance("poor")).toEqual(before)
  })

  it("stop a model that calls on and on, at the end of the balance", async () => {
    const { text } = await ask("few", "eager", { max_output_tokens: 100 })
    expect(text).toContain("Done")
    const { available, held } = await balance("few")
    expect(calls()).toBe(4)
    expect(available).toBeGreaterThanOrEqual(0)
    expect(available).toBeLessThan(10_000_000)
    expect(held).toBe(0)
  })

  it("of a task are charged in full, and stop at the end of the balance", async () => {
    const run = async (name: string, model: string) => {
      const accepted = await ask(name, model, { background: true, max_output_tokens: 100 })
      const { id } = JSON.parse(accepted.text) as { readonly id: string }
      return until(
        async () => (await send(name, `/v1/responses/${id}`)).text(),
        (text) => !/"status":"(queued|in_progress)"/.test(text)
      )
    }
    const before = await balance("rich")
    chat.want("dice__roll", "dice__cheat_now", "dice__roll")
    expect(await run("rich", "free")).toContain("It said")
    expect(await balance("rich")).toEqual({ available: before.available - 20_000_003, held: 0 })
    dice.seen.length = 0
    expect(await run("background", "eager")).toContain("Done")
    const { available, held } = await balance("background")
    expect([calls(), available >= 0 && available < 10_000_000, held]).toEqual([4, true, 0])
    expect(JSON.parse(await (await send("background", "/v1/usage")).text())).toMatchObject({ totals: { requests: 1 } })
  })

  it("are charged for approved calls, once for an approval", async () => {
    const before = await balance("rich")
    const first = JSON.parse((await ask("rich", "free", { tools: [tool({ require_approval: "always" })] })).text)
    expect((await balance("rich")).available).toBe(before.available)
    const given = { type: "mcp_approval_response", approval_request_id: first.output.at(-1).id, approve: true }
    for (let time = 0; time < 2; time++) {
      const next = await ask("rich", "free", {
        previous_response_id: first.id,
        input: [given],
        tools: [tool({ require_approval: "always" })]
      })
      expect(next.text).toContain("A 6")
    }
    expect(calls()).toBe(1)
    expect((await balance("rich")).available).toBe(before.available - 10_000_000)
  })

  it("are charged on /mcp, with a hold, and refused in its words", async () => {
    const before = await balance("rich")
    const answer = await call("rich", "roll")
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: "A 6" }] } })
    expect(answer.headers.get("x-gateway-cost-usd")).toBe("0.01")
    expect(await (await call("rich", "cheat.now")).json()).toMatchObject({ result: { isError: true } })
    expect(await balance("rich")).toEqual({ available: before.available - 10_000_003, held: 0 })
    expect(await row("rich", answer.headers.get("x-request-id") ?? "")).toMatchObject({
      cost_usd: 0.01,
      cost: { lines: [{ of: "request", count: 1, price_usd: 0.01 }] }
    })
    const made = calls()
    const refused = await call("poor", "roll")
    expect(refused.status).toBe(200)
    expect(await refused.json()).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("Insufficient balance") }] }
    })
    expect(calls()).toBe(made)
    const usage = await (await send("rich", "/v1/usage?by=model")).json()
    expect(usage.data).toContainEqual(expect.objectContaining({ group: "mcp/dice" }))
  })

  it("count towards budgets", async () => {
    expect(await (await call("budgeted", "roll")).json()).not.toMatchObject({ result: { isError: true } })
    expect(await (await call("budgeted", "roll")).json()).not.toMatchObject({ result: { isError: true } })
    expect(await (await call("budgeted", "roll")).json()).toMatchObject({ result: { isError: true } })
    expect(calls()).toBe(2)
  })

  it.each(["/v1/responses", "/mcp/silent"])(
    "are paid for a call that has left, by a client that leaves (%s)",
    async (path) => {
      arrived = Promise.withResolvers()
      chat.want("silent__wait")
      const before = await balance("rich")
      const client = new AbortController()
      const asked = { model: "free", stream: true, input: "Wait", tools: [tool({ server_label: "silent" })] }
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait", arguments: {} } }
      const gone = request({ url: gateway.url, key: secretOf("rich") }, path, {
        body: path.startsWith("/mcp") ? message : asked,
        signal: client.signal
      }).then((answer) => answer.text())
      await arrived.promise
      expect(await balance("rich")).toEqual({ available: before.available - 500_000_000, held: 0.5 })
      client.abort()
      await expect(gone).rejects.toThrow()
      const after = await until(
        () => balance("rich"),
        ({ held }) => held === 0
      )
      expect(after.available).toBe(before.available - 500_000_000)
    }
  )

  it("are not paid for a call that never left", async () => {
    const before = await balance("rich")
    // Its list is kept, so that the call is tried when the server has gone.
    expect(await (await call("rich", "roll", "leaving")).json()).toMatchObject({
      result: { content: [{ text: "A 6" }] }
    })
    await leaving.stop()
    const gone = await call("rich", "roll", "leaving")
    expect(await gone.json()).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("could not be reached") }] }
    })
    chat.want("leaving__roll")
    const { text } = await ask("rich", "free", { tools: [tool({ server_label: "leaving" })] })
    expect(text).toContain("could not be reached")
    expect(await balance("rich")).toEqual({ available: before.available - 1_000_000_000, held: 0 })
  })

  it.each(names)("leave no hold at %s", async (name) => {
    if (name !== "unmetered" && name !== "budgeted") expect((await balance(name)).held).toBe(0)
  })
})
