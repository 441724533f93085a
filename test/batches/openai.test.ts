import type OpenAI from "openai"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startBatches } from "./batchGateway.ts"
import type { BatchGateway } from "./batchGateway.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
type Json = any

const chat = "/v1/chat/completions"
const request = (custom_id: string, body: object, url = chat) => ({ custom_id, method: "POST", url, body })
const said = (text: string, model = "sandbox-text") => ({ model, messages: [{ role: "user", content: text }] })

describeOnEach("batches of a file", (engine) => {
  let gateway: BatchGateway
  beforeAll(async () => {
    gateway = await startBatches(await gatewayEnv(`files-of-batches-${engine.name}`))
  })
  afterAll(() => gateway.dispose())

  const upload = async (client: OpenAI, lines: ReadonlyArray<unknown>): Promise<string> => {
    const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")
    return (await client.files.create({ file: new File([text], "in.jsonl"), purpose: "batch" })).id
  }
  const create = async (client: OpenAI, lines: ReadonlyArray<unknown>, endpoint: "/v1/chat/completions" = chat) =>
    client.batches.create({
      input_file_id: await upload(client, lines),
      endpoint,
      completion_window: "24h",
      metadata: { job: "nightly" }
    })
  const endOf = async (client: OpenAI, id: string): Promise<OpenAI.Batch> => {
    for (;;) {
      const batch = await client.batches.retrieve(id)
      if (["completed", "failed", "expired", "cancelled"].includes(batch.status)) return batch
      await Bun.sleep(50)
    }
  }
  const linesOf = async (client: OpenAI, id: string | null | undefined): Promise<ReadonlyArray<Json>> => {
    if (id === null || id === undefined) return []
    const text = await (await client.files.content(id)).text()
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
  }

  it("are validated, run, and answered by files", async () => {
    const client = gateway.openai("one")
    const made = await create(client, [
      request("a", said("Hello!")),
      "",
      request("b", said("Hi", "no-such-model")),
      request("c", said("Bye"))
    ])
    expect(made).toMatchObject({
      object: "batch",
      endpoint: chat,
      status: "validating",
      completion_window: "24h",
      request_counts: { total: 0, completed: 0, failed: 0 },
      metadata: { job: "nightly" }
    })
    const ended = await endOf(client, made.id)
    expect(ended).toMatchObject({ status: "completed", request_counts: { total: 3, completed: 2, failed: 1 } })
    expect([ended.in_progress_at, ended.finalizing_at, ended.completed_at].every(Number.isInteger)).toBe(true)
    const output = await linesOf(client, ended.output_file_id)
    expect(output.map(({ custom_id, error, response }) => [custom_id, error, response.status_code])).toEqual([
      ["a", null, 200],
      ["c", null, 200]
    ])
    expect(output[0].response.body).toMatchObject({ object: "chat.completion", model: "sandbox-text" })
    expect(output[0].response.body.choices[0].message.content).toContain("Hello!")
    expect(await linesOf(client, ended.error_file_id)).toMatchObject([
      { custom_id: "b", response: { status_code: 404, body: { error: { code: "model_not_found" } } }, error: null }
    ])
    expect((await client.batches.list()).data).toEqual([ended])
    await expect(gateway.openai("two").batches.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
    await expect(client.batches.cancel(made.id)).rejects.toMatchObject({ status: 409 })
  })

  it.each([
    ["/v1/responses", { model: "sandbox-text", input: "Hi" }, "response"],
    ["/v1/embeddings", { model: "sandbox-embed", input: "Hi" }, "list"],
    ["/v1/completions", { model: "sandbox-text", prompt: "Hi" }, "text_completion"],
    ["/v1/moderations", { model: "sandbox-moderation", input: "Hi" }, undefined]
  ] as const)("run %s", async (endpoint, body, object) => {
    const client = gateway.openai("one")
    const input_file_id = await upload(client, [request("a", body, endpoint)])
    const { id } = await client.batches.create({ input_file_id, endpoint, completion_window: "24h" })
    const ended = await endOf(client, id)
    const [line] = await linesOf(client, ended.output_file_id)
    expect([ended.status, line?.response.status_code, line?.response.body.object]).toEqual(["completed", 200, object])
  })

  it("fail for mistakes in the file, which are told by their lines", async () => {
    const client = gateway.openai("one")
    const { id } = await create(client, [
      request("a", said("Hi")),
      "{",
      request("a", said("Hi")),
      request("b", said("Hi"), "/v1/embeddings"),
      { ...request("c", said("Hi")), method: "GET" },
      request("d", { ...said("Hi"), stream: true })
    ])
    const ended = await endOf(client, id)
    expect([ended.status, ended.output_file_id]).toEqual(["failed", null])
    expect(ended.errors?.data?.map(({ code, line, param }) => [line, code, param])).toEqual([
      [2, "invalid_json_line", null],
      [3, "duplicate_custom_id", "custom_id"],
      [4, "mismatched_endpoint", "url"],
      [5, "invalid_request", "method"],
      [6, "invalid_request", "body.stream"]
    ])
  })

  it("fail for a file of blank lines, which is not looked at to its end", async () => {
    const client = gateway.openai("one")
    const { id } = await create(client, [request("a", said("Hi")), "\n".repeat(1_000_000)])
    const ended = await endOf(client, id)
    expect([ended.status, ended.errors?.data?.map(({ code }) => code)]).toEqual(["failed", ["too_many_requests"]])
  })

  it("refuse fields that break a rule, by their names", async () => {
    const good = { input_file_id: "file_x", endpoint: chat, completion_window: "24h" }
    for (const [field, value] of [
      ["input_file_id", 1],
      ["endpoint", "/v1/rerank"],
      ["completion_window", "48h"],
      ["metadata", { a: 1 }],
      ["output_expires_after", { anchor: "created_at", seconds: 60 }]
    ] as const) {
      const answer = await fetch(`${gateway.url}/v1/batches`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.secretOf("one")}` },
        body: JSON.stringify({ ...good, [field]: value })
      })
      const { error }: Json = await answer.json()
      expect([answer.status, error.param?.startsWith(field)]).toEqual([400, true])
      expect(error.message.startsWith(field)).toBe(true)
    }
  })

  it("refuse other files", async () => {
    const client = gateway.openai("one")
    const asked = { endpoint: chat, completion_window: "24h" } as const
    await expect(client.batches.create({ ...asked, input_file_id: "file_none" })).rejects.toMatchObject({
      status: 400,
      param: "input_file_id"
    })
    const other = await client.files.create({ file: new File(["x"], "x.txt"), purpose: "user_data" })
    await expect(client.batches.create({ ...asked, input_file_id: other.id })).rejects.toMatchObject({ status: 400 })
    const strangers = await upload(gateway.openai("two"), [request("a", said("Hi"))])
    await expect(client.batches.create({ ...asked, input_file_id: strangers })).rejects.toMatchObject({ status: 400 })
  })

  it("end what has not begun when they are cancelled, by their account or an operator", async () => {
    const client = gateway.openai("stopped")
    const lines = Array.from({ length: 60 }, (_, index) => request(`n${index}`, said("[[sandbox: delay=1s]] Hi")))
    for (const cancel of [
      (id: string) => client.batches.cancel(id),
      (id: string) => gateway.admin("POST", `/tasks/${id}/cancel`)
    ]) {
      const { id } = await create(client, lines)
      await expect.poll(async () => (await client.batches.retrieve(id)).status).toBe("in_progress")
      await Bun.sleep(300)
      await cancel(id)
      const ended = await endOf(client, id)
      expect(ended.status).toBe("cancelled")
      const [output, errors] = [await linesOf(client, ended.output_file_id), await linesOf(client, ended.error_file_id)]
      expect(output.length + errors.length).toBe(60)
      expect(errors.length).toBeGreaterThan(20)
      expect(errors.at(-1)).toMatchObject({ response: null, error: { code: "batch_cancelled" } })
    }
  }, 60_000)
})
