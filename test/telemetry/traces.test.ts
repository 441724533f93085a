import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { ReceivedSpan } from "./otlp.ts"
import { ask, counted, newTrace, plain, say, startCollector } from "./tracedCalls.ts"

const chat = fakeUpstream("openai-chat")
const broken = fakeUpstream("openai-chat", { answer: () => new Response("down", { status: 503 }) })
const heard: Array<string | null> = []

const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    heard.push(request.headers.get("traceparent"))
    return new Response()
  }
})

const folders: Array<string> = []

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-traces-"))
  folders.push(folder)
  writeFileSync(
    join(folder, "gateway.yaml"),
    `server: { metrics: true }
upstreams:
  chat: { protocol: openai-chat, base_url: "${chat.url}/v1" }
  broken: { protocol: openai-chat, base_url: "${broken.url}/v1" }
models:
  plain: { routes: [{ upstream: chat }] }
  named: { routes: [{ upstream: broken, model: first }, { upstream: chat, model: second }], price: { input: 1, output: 2 } }
callbacks: { allow: [127.0.0.0/8] }
`
  )
  return folder
}

let collector: Awaited<ReturnType<typeof startCollector>>
const gateways: Array<GatewayProcess> = []

const start = async (env: Readonly<Record<string, string>> = {}, folder = newFolder()) => {
  const gateway = await startGateway({
    folder,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50", ...env }
  })
  gateways.push(gateway)
  return gateway
}

let gateway: GatewayProcess

beforeAll(async () => {
  collector = await startCollector()
  gateway = await start()
})

afterAll(async () => {
  await Promise.all(gateways.map((one) => one.dispose()))
  await Promise.all([chat, broken, receiver].map((server) => server.stop(true)))
  await collector.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const video = (prompt: string) => ({
  model: "sandbox-video",
  content: [{ type: "text", text: `${prompt} --resolution 480p --frames 29` }],
  callback_url: `http://127.0.0.1:${receiver.port}/hook`
})

const until = async (traceId: string, isWhole: (spans: ReadonlyArray<ReceivedSpan>) => boolean) => {
  await expect.poll(async () => isWhole(await collector.spans(traceId)), { timeout: 120_000 }).toBe(true)
  return collector.spans(traceId)
}

const one = (spans: ReadonlyArray<ReceivedSpan>, name: string) => {
  const found = spans.filter((span) => span.name === name)
  expect(found.map((span) => span.name)).toEqual([name])
  return found[0] as ReceivedSpan
}

describe("traces", () => {
  it("go from the caller's span through each call of an upstream to the answer", async () => {
    const { header, spanId, traceId } = newTrace()
    const before = [broken.asked.length, chat.asked.length]
    const reply = await ask(gateway, "/v1/messages", say("hello", { metadata: { user_id: "ada" } }), header)
    expect(reply.status).toBe(200)
    const { usage } = (await reply.json()) as { usage: Record<string, number> }
    const spans = await until(traceId, (all) => all.length === 3)

    const server = one(spans, "POST /v1/messages")
    expect(server).toMatchObject({ parentSpanId: spanId, kind: 2, status: { code: 0 } })
    expect(server.attributes).toMatchObject({
      "http.response.status_code": 200,
      "http.route": "/v1/messages",
      "user.id": "ada",
      "gateway.account": "default",
      "gateway.model": "named",
      "gateway.client": "Somebody/1.0",
      "gateway.request_id": reply.headers.get("x-request-id")
    })
    expect(server.resource).toMatchObject({ "service.name": "model-gateway" })

    const first = one(spans, "chat first")
    expect(first).toMatchObject({ parentSpanId: server.spanId, kind: 3, status: { code: 2 } })
    expect(first.attributes).toMatchObject({
      "gateway.upstream": "broken",
      "http.response.status_code": 503,
      "error.type": "upstream_failed",
      "gateway.attempt": 1
    })
    expect(first.attributes).not.toHaveProperty("gen_ai.usage.input_tokens")

    const second = one(spans, "chat second")
    expect(second).toMatchObject({ parentSpanId: server.spanId, kind: 3, status: { code: 0 } })
    expect(second.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "chat",
      "gen_ai.request.model": "second",
      "gen_ai.usage.input_tokens": (usage["input_tokens"] ?? 0) + (usage["cache_read_input_tokens"] ?? 0),
      "gen_ai.usage.output_tokens": usage["output_tokens"],
      "gateway.attempt": 2
    })
    expect(second.attributes["gen_ai.usage.cost"]).toBeCloseTo(Number(reply.headers.get("x-gateway-cost-usd")), 9)
    for (const { fromMs, toMs } of [first, second]) {
      expect(fromMs).toBeGreaterThanOrEqual(server.fromMs)
      expect(toMs).toBeLessThanOrEqual(server.toMs + 1)
      expect(toMs).toBeGreaterThanOrEqual(fromMs)
    }
    // Lines and spans find each other.
    await expect.poll(() => gateway.output()).toContain(`"traceparent":"00-${traceId}-${server.spanId}-01"`)
    // Each upstream was told of its own call.
    expect(broken.asked[before[0] ?? 0]?.headers).toMatchObject({
      traceparent: `00-${traceId}-${first.spanId}-01`,
      tracestate: "vendor=1"
    })
    expect(chat.asked[before[1] ?? 0]?.headers["traceparent"]).toBe(`00-${traceId}-${second.spanId}-01`)
  })

  it("have a stream's span end with the stream, and its first token's time", async () => {
    const { header, traceId } = newTrace()
    await (await ask(gateway, "/v1/messages", say("a stream", { ...plain, stream: true }), header)).text()
    const spans = await until(traceId, (all) => all.length === 2)
    const call = one(spans, "chat plain")
    expect(call.attributes).toMatchObject({ "gen_ai.request.stream": true })
    expect(call.attributes["gen_ai.server.time_to_first_token"]).toBeGreaterThan(0)
    expect(one(spans, "POST /v1/messages").toMs).toBeGreaterThanOrEqual(call.toMs - 1)
  })

  it("say which requests failed, and leave out whatever was said", async () => {
    const { header, traceId } = newTrace()
    expect((await ask(gateway, "/v1/messages", say("a planted prompt", { model: "nobody's" }), header)).status).toBe(
      400
    )
    const [span] = await until(traceId, (all) => all.length === 1)
    expect(span).toMatchObject({ status: { code: 0 }, attributes: { "http.response.status_code": 400 } })
    expect(span?.attributes["error.type"]).toMatch(/^[a-z_]+$/)
    expect(JSON.stringify(await collector.spans())).not.toMatch(/planted|test-key/)
  })

  it("have a whole task in them: the request that made it, its life, each turn, each callback", async () => {
    const { header, spanId, traceId } = newTrace()
    const created = await ask(
      gateway,
      "/api/v3/contents/generations/tasks",
      video("[[sandbox: queue=50ms]] a cat"),
      header
    )
    const { id } = (await created.json()) as { id: string }
    const spans = await until(
      traceId,
      (all) =>
        all.some(({ name }) => name.startsWith("video task")) &&
        all.filter(({ name }) => name === "POST callback").length === 3
    )
    const request = one(spans, "POST /api/v3/contents/generations/tasks")
    expect(request.parentSpanId).toBe(spanId)
    const life = one(spans, "video task sandbox-video")
    expect(life).toMatchObject({ parentSpanId: request.spanId, status: { code: 0 } })
    expect(life.attributes).toMatchObject({
      "gateway.task.id": id,
      "gateway.task.state": "succeeded",
      "gen_ai.operation.name": "generate_content",
      "gen_ai.request.model": "sandbox-video"
    })
    const turns = spans.filter(({ name }) => name === "video turn sandbox-video")
    // Those of which something came: its submission, its beginning, its end.
    expect(turns.length).toBeGreaterThanOrEqual(2)
    expect(turns.length).toBeLessThanOrEqual(3)
    const callbacks = spans.filter(({ name }) => name === "POST callback")
    expect(callbacks.map(({ attributes }) => attributes["gateway.task.state"])).toEqual([
      "queued",
      "running",
      "succeeded"
    ])
    for (const span of [...turns, ...callbacks]) expect(span).toMatchObject({ parentSpanId: life.spanId, links: [] })
    // Receivers are told too.
    for (const { spanId } of callbacks) expect(heard).toContain(`00-${traceId}-${spanId}-01`)
  })

  it("have an async message's call below its turn", async () => {
    const { header, traceId } = newTrace()
    const body = say("later", { ...plain, async: true })
    expect((await ask(gateway, "/v1/messages", body, header)).status).toBeLessThan(300)
    const spans = await until(traceId, (all) => all.some(({ name }) => name === "message task plain"))
    const turn = one(spans, "message turn plain")
    expect(turn.parentSpanId).toBe(one(spans, "message task plain").spanId)
    expect(one(spans, "chat plain")).toMatchObject({ parentSpanId: turn.spanId, status: { code: 0 } })
    expect(one(spans, "chat plain").attributes["gen_ai.usage.output_tokens"]).toBeGreaterThan(0)
  })

  it("link to the request that made a task where another process goes on with it", async () => {
    const folder = newFolder()
    const first = await start({}, folder)
    const { header, traceId } = newTrace()
    const body = video("[[sandbox: queue=50ms render=2s]] a dog")
    expect((await ask(first, "/api/v3/contents/generations/tasks", body, header)).status).toBe(200)
    await until(traceId, (all) => all.some(({ name }) => name.startsWith("video turn")))
    first.signal("SIGKILL")
    await first.exited
    await start({}, folder)
    const spans = await until(traceId, (all) => all.some(({ name }) => name.startsWith("video task")))
    const request = one(spans, "POST /api/v3/contents/generations/tasks")
    const turns = spans.filter(({ name }) => name.startsWith("video turn"))
    expect(new Set(turns.map(({ resource }) => resource["service.instance.id"])).size).toBe(2)
    const linked = turns.filter(({ links }) => links.length > 0)
    expect(linked.map(({ links }) => links)).toEqual([[{ traceId, spanId: request.spanId }]])
    expect(linked[0]?.resource["service.instance.id"]).not.toBe(request.resource["service.instance.id"])
  })

  it("are not made of what the caller or the sampler leaves out, and pass on whose trace it is", async () => {
    const { header, spanId, traceId } = newTrace("00")
    const count = chat.asked.length
    expect((await ask(gateway, "/v1/messages", say("unsampled", plain), header)).status).toBe(200)
    expect(chat.asked[count]?.headers["traceparent"]).toBe(`00-${traceId}-${spanId}-00`)
    const none = await start({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" })
    const other = newTrace()
    expect((await ask(none, "/v1/messages", say("unsampled", plain), other.header)).status).toBe(200)
    none.signal("SIGTERM")
    await none.exited
    expect(await collector.spans(traceId)).toEqual([])
    expect(await collector.spans(other.traceId)).toEqual([])
  })

  it("are not made if nothing is exported", async () => {
    const off = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })
    const count = chat.asked.length
    expect((await ask(off, "/v1/messages", say("off", plain), newTrace().header)).status).toBe(200)
    expect(chat.asked[count]?.headers["traceparent"]).toBeUndefined()
  })

  it("go as JSON, packed and with headers of the operator's, where these are asked for", async () => {
    const json = await start({
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc,x-project=1",
      OTEL_SERVICE_NAME: "other",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test"
    })
    const { header, traceId } = newTrace()
    await (await ask(json, "/v1/messages", say("json", plain), header)).text()
    const spans = await until(traceId, (all) => all.length === 2)
    expect(spans[0]?.resource).toMatchObject({ "service.name": "other", "deployment.environment": "test" })
    const { headers } = await collector.collected()
    expect(headers).toContainEqual(
      expect.objectContaining({ authorization: "Basic abc", "x-project": "1", "content-encoding": "gzip" })
    )
  })

  it("leave with the process", async () => {
    const slow = await start({ OTEL_BSP_SCHEDULE_DELAY: "600000" })
    const { header, traceId } = newTrace()
    await (await ask(slow, "/v1/messages", say("last", plain), header)).text()
    expect(await collector.spans(traceId)).toEqual([])
    slow.signal("SIGTERM")
    await slow.exited
    expect(await collector.spans(traceId)).toHaveLength(2)
  })

  it("wait for a collector that is away as far as there is room, and are counted where there is none", async () => {
    const few = await start({ OTEL_BSP_MAX_QUEUE_SIZE: "6", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "3" })
    await collector.be(503)
    for (let n = 0; n < 5; n++)
      expect((await ask(few, "/v1/messages", say("away", plain), newTrace().header)).status).toBe(200)
    await expect.poll(() => counted(few, "gateway_spans_dropped_total")).toBe(4)
    expect(few.output()).toContain('"event":"traces.not_exported"')
    await collector.be(200)
    await expect.poll(() => counted(few, "gateway_spans_exported_total")).toBe(6)
    expect(await counted(few, "gateway_spans_dropped_total")).toBe(4)
  })
})
