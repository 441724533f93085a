import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { endOf, line, resultsOf, startBatches } from "./batchGateway.ts"
import type { BatchGateway } from "./batchGateway.ts"

describeOnEach("batches of messages", (engine) => {
  let gateway: BatchGateway
  beforeAll(async () => {
    gateway = await startBatches(await gatewayEnv(`batches-${engine.name}`))
  })
  afterAll(() => gateway.dispose())

  const raw = async (name: string, body: object | string, path = "") => {
    const answer = await fetch(`${gateway.url}/v1/messages/batches${path}`, {
      method: "POST",
      headers: { "x-api-key": gateway.secretOf(name), "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
    const { error }: { error: { type: string; message: string } } = await answer.json()
    return `${answer.status} ${error.type}: ${error.message}`
  }

  it("are created, read, listed and deleted, and their results streamed", async () => {
    const client = gateway.anthropic("one")
    const made = await client.messages.batches.create({
      requests: [line("a", "Hello!"), line("b", "[[sandbox: error=400]] Hi"), line("c", "Hi", "no-such-model")]
    })
    expect(made).toMatchObject({
      type: "message_batch",
      processing_status: "in_progress",
      request_counts: { processing: 3, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      ended_at: null,
      cancel_initiated_at: null,
      archived_at: null,
      results_url: null
    })
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(86_400_000)
    const ended = await endOf(client, made.id)
    expect(ended.request_counts).toEqual({ processing: 0, succeeded: 1, errored: 2, canceled: 0, expired: 0 })
    expect(ended.results_url).toBe(`${gateway.url}/v1/messages/batches/${made.id}/results`)
    const results = await resultsOf(client, made.id)
    expect(results).toMatchObject({
      a: { type: "succeeded", message: { type: "message", role: "assistant", model: "sandbox-text" } },
      b: { type: "errored", error: { type: "error", error: { type: "invalid_request_error" } } },
      c: { type: "errored", error: { type: "error", error: { type: "invalid_request_error" } } }
    })
    expect(results.a.message.content[0].text).toContain("Hello!")
    const { data, has_more } = await client.messages.batches.list()
    expect([data, has_more]).toEqual([[ended], false])
    expect(await client.messages.batches.delete(made.id)).toEqual({ id: made.id, type: "message_batch_deleted" })
    await expect(client.messages.batches.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
    expect((await client.messages.batches.list()).data).toEqual([])
  })

  it("come in pages, forwards and backwards, and are the account's alone", async () => {
    const client = gateway.anthropic("two")
    const ids: Array<string> = []
    for (const name of ["a", "b", "c"]) {
      ids.unshift((await client.messages.batches.create({ requests: [line(name, "Hi")] })).id)
    }
    const idsOf = (page: { data: ReadonlyArray<{ id: string }> }) => page.data.map(({ id }) => id)
    const first = await client.messages.batches.list({ limit: 2 })
    expect([idsOf(first), first.has_more, first.first_id, first.last_id]).toEqual([
      ids.slice(0, 2),
      true,
      ids[0],
      ids[1]
    ])
    const second = await client.messages.batches.list({ limit: 2, after_id: first.last_id ?? "" })
    expect([idsOf(second), second.has_more]).toEqual([ids.slice(2), false])
    const before = await client.messages.batches.list({ limit: 1, before_id: ids[2] ?? "" })
    expect([idsOf(before), before.has_more]).toEqual([[ids[1]], true])
    const all: Array<string> = []
    for await (const { id } of client.messages.batches.list({ limit: 1 })) all.push(id)
    expect(all).toEqual(ids)
    const stranger = gateway.anthropic("one").messages.batches
    const id = ids[0] ?? ""
    for (const asked of [() => stranger.retrieve(id), () => stranger.cancel(id), () => stranger.delete(id)]) {
      await expect(asked()).rejects.toMatchObject({ status: 404 })
    }
    await expect(stranger.list({ after_id: ids[0] ?? "" })).rejects.toMatchObject({ status: 400 })
  })

  it("refuse what can't be run, with the field's name", async () => {
    const invalid = (message: string) => `400 invalid_request_error: ${message}`
    const one = line("a", "Hi")
    expect(await raw("one", { requests: [] })).toBe(invalid("requests: expected at least one request"))
    expect(await raw("one", { requests: [one, one] })).toBe(
      invalid('requests[1].custom_id: another request has the name "a"')
    )
    expect(await raw("one", { requests: [one, { ...one, custom_id: "b c" }] })).toContain("requests[1].custom_id: ")
    expect(await raw("one", { requests: [{ ...one, params: { ...one.params, stream: true } }] })).toBe(
      invalid("requests[0].params.stream: expected false: results are read as a whole")
    )
    const long = (requests: string) => `{ "padding": "${" ".repeat(100)}", "requests": [${requests}]}`
    const padded = JSON.stringify(line("a", "x".repeat(200_000)))
    expect(await raw("one", long(`${padded}, {"custom_id": "b"}`))).toBe(
      invalid("requests[1].params: is required; expected an object")
    )
    expect(await raw("one", long(`${padded}, ${padded}`))).toBe(
      invalid('requests[1].custom_id: another request has the name "a"')
    )
    expect(await raw("one", long(`${padded},`))).toBe(invalid("requests[1]: is not JSON"))
    expect(await raw("one", `${long(padded)}}`)).toContain("400 invalid_request_error: The request body is not JSON")
    expect(await raw("one", `{"requests": ${padded}}`)).toContain("requests")
    const refused = await gateway.anthropic("one").messages.batches.list()
    expect(refused.data).toEqual([])
  })

  it("take a long body from disk", async () => {
    const client = gateway.anthropic("one")
    const requests = Array.from({ length: 300 }, (_, index) => line(`n${index}`, `Text ${index} ${"é".repeat(300)}`))
    const made = await client.messages.batches.create({ requests })
    expect(made.request_counts.processing).toBe(300)
    const ended = await endOf(client, made.id)
    expect(ended.request_counts.succeeded).toBe(300)
    const results = await resultsOf(client, made.id)
    expect(Object.keys(results)).toHaveLength(300)
    expect(results["n277"].message.content[0].text).toContain(`Text 277 ${"é".repeat(300)}`)
  }, 60_000)

  it("cost what their requests would, line by line", async () => {
    const client = gateway.anthropic("one")
    await gateway.admin("POST", "/accounts/one/credit", { usd: 10, note: "test" })
    const settledOf = async (): Promise<number> => (await gateway.admin("GET", "/accounts/one")).settled.nano_usd
    const rowsOf = async () => (await gateway.admin("GET", "/requests?account=one&model=paid")).data
    const before = await settledOf()
    const { params } = line("a", "[[sandbox: tokens=321]] What does it cost?", "paid")
    await client.messages.create(params)
    await expect.poll(settledOf).toBeGreaterThan(before)
    const live = (await settledOf()) - before
    const made = await client.messages.batches.create({
      requests: ["a", "b", "c"].map((custom_id) => ({ custom_id, params }))
    })
    await endOf(client, made.id)
    await expect.poll(settledOf).toBe(before + 4 * live)
    await expect.poll(async () => (await rowsOf()).length).toBe(4)
    const costs = (await rowsOf()).map(({ cost_usd, family, status }: Record<string, unknown>) => [
      family,
      status,
      cost_usd
    ])
    expect(new Set(costs.map(String)).size).toBe(1)
    const task = await gateway.admin("GET", `/tasks/${made.id}`)
    expect([task.kind, task.state, task.cost_usd, task.held_usd]).toEqual(["batch", "succeeded", (3 * live) / 1e9, 0])
  })

  it("are charged nothing for lines that the balance does not cover", async () => {
    const client = gateway.anthropic("poor")
    await gateway.admin("POST", "/accounts/poor/credit", { usd: 0.000_001, note: "test" })
    const made = await client.messages.batches.create({ requests: [line("a", "Hi", "paid"), line("b", "Hi")] })
    await endOf(client, made.id)
    expect(await resultsOf(client, made.id)).toMatchObject({
      a: { type: "errored", error: { error: { type: "insufficient_balance" } } },
      b: { type: "succeeded" }
    })
  })

  it("count as one task", async () => {
    const client = gateway.anthropic("single")
    const requests = ["a", "b", "c"].map((name) => line(name, "[[sandbox: delay=1s]] Hi"))
    const made = await client.messages.batches.create({ requests })
    await expect(client.messages.batches.create({ requests })).rejects.toMatchObject({ status: 429 })
    const ended = await endOf(client, made.id)
    expect(ended.request_counts.succeeded).toBe(3)
    await client.messages.batches.create({ requests: [line("a", "Hi")] })
  })

  it("count in budgets line by line, not themselves", async () => {
    const client = gateway.anthropic("bounded")
    const made = await client.messages.batches.create({ requests: [line("a", "Hi"), line("b", "Hi")] })
    expect((await endOf(client, made.id)).request_counts.succeeded).toBe(2)
    await expect(client.messages.create(line("c", "Hi").params)).rejects.toMatchObject({ status: 429 })
  }, 20_000)

  it("give their tags to their lines", async () => {
    const client = gateway.anthropic("two")
    const headers = { "x-gateway-tags": "team=batches" }
    const made = await client.messages.batches.create({ requests: [line("a", "Hi")] }, { headers })
    await endOf(client, made.id)
    const rowsOf = async () => (await gateway.admin("GET", "/requests?account=two&model=sandbox-text")).data
    await expect
      .poll(async () => (await rowsOf()).map(({ tags }: { tags: unknown }) => tags))
      .toContainEqual(["team=batches"])
  })

  it("have the bounds of other bodies when they are compressed, which are read into memory", async () => {
    const text = `{"requests": [${" ".repeat(33 * 1024 * 1024)}]}`
    const answer = await fetch(`${gateway.url}/v1/messages/batches`, {
      method: "POST",
      headers: { "x-api-key": gateway.secretOf("one"), "content-encoding": "gzip" },
      body: Bun.gzipSync(text)
    })
    expect(answer.status).toBe(413)
  })

  it("end what has not begun when they are canceled", async () => {
    const client = gateway.anthropic("one")
    const requests = Array.from({ length: 60 }, (_, index) => line(`n${index}`, "[[sandbox: delay=1s]] Hi"))
    const made = await client.messages.batches.create({ requests })
    await expect(client.messages.batches.delete(made.id)).rejects.toMatchObject({ status: 400 })
    await expect(client.messages.batches.results(made.id)).rejects.toThrow()
    await Bun.sleep(300)
    const canceling = await client.messages.batches.cancel(made.id)
    expect(canceling.processing_status).toBe("canceling")
    expect(canceling.cancel_initiated_at).not.toBeNull()
    const ended = await endOf(client, made.id)
    const { canceled, succeeded } = ended.request_counts
    expect(canceled + succeeded).toBe(60)
    expect(canceled).toBeGreaterThan(20)
    const types = Object.values<{ type: string }>(await resultsOf(client, made.id)).map(({ type }) => type)
    expect(types.filter((type) => type === "canceled")).toHaveLength(canceled)
    await expect(client.messages.batches.cancel(made.id)).rejects.toMatchObject({ status: 400 })
  })
})
