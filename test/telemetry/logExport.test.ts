import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { ReceivedLog } from "./otlp.ts"
import { ask, counted, linesOf, newTrace, say, startCollector } from "./tracedCalls.ts"

const chat = fakeUpstream("openai-chat")
const broken = fakeUpstream("openai-chat", { answer: () => new Response("down", { status: 503 }) })
const folders: Array<string> = []

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-log-export-"))
  folders.push(folder)
  writeFileSync(
    join(folder, "gateway.yaml"),
    `server: { metrics: true }
upstreams:
  chat: { protocol: openai-chat, base_url: "${chat.url}/v1" }
  broken: { protocol: openai-chat, base_url: "${broken.url}/v1" }
models:
  plain: { routes: [{ upstream: chat }] }
  named: { routes: [{ upstream: broken, model: first }, { upstream: chat, model: second }] }
`
  )
  return folder
}

const collectors: Array<Awaited<ReturnType<typeof startCollector>>> = []
const newCollector = async () => {
  const collector = await startCollector()
  collectors.push(collector)
  return collector
}

const gateways: Array<GatewayHere> = []
const start = async (to: string, env: Readonly<Record<string, string>> = {}) => {
  const gateway = await startGateway({
    folder: newFolder(),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: to,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_BLRP_SCHEDULE_DELAY: "50",
      ...env
    }
  })
  gateways.push(gateway)
  return gateway
}

const stop = async (gateway: GatewayHere) => {
  gateways.splice(gateways.indexOf(gateway), 1)
  await gateway.dispose()
}

let collector: Awaited<ReturnType<typeof startCollector>>
let gateway: GatewayHere

beforeAll(async () => {
  collector = await newCollector()
  gateway = await start(collector.url)
})

afterAll(async () => {
  await Promise.all(gateways.map((one) => one.dispose()))
  await Promise.all([chat, broken].map((server) => server.stop()))
  await Promise.all(collectors.map((one) => one.stop()))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const asked = async (of: GatewayHere, model = "plain", more: object = {}) => {
  const { header, traceId } = newTrace()
  const reply = await ask(of, "/v1/messages", say("planted words", { model, ...more }), header)
  await reply.text()
  expect(reply.status).toBe(200)
  return { traceId, id: reply.headers.get("x-request-id") ?? "" }
}

const ofRequest =
  (id: string) =>
  ({ attributes }: ReceivedLog): boolean =>
    attributes["gateway.request_id"] === id

/** The records of a request, once there are so many. */
const recordsOf = async (id: string, count: number, at = collector) => {
  await expect.poll(async () => (await at.logs()).filter(ofRequest(id)).length, { timeout: 60_000 }).toBe(count)
  return (await at.logs()).filter(ofRequest(id))
}

describe("log lines", () => {
  it("are records with the fields of the line, and meet the request's span", async () => {
    const { id, traceId } = await asked(gateway, "named", { metadata: { user_id: "ada" } })
    const records = await recordsOf(id, 2)
    const [attempt, request] = [
      records.find((one) => one.event === "upstream.attempt"),
      records.find((one) => one.event === "request")
    ]
    await expect.poll(async () => (await collector.spans(traceId)).length, { timeout: 60_000 }).toBe(3)
    const server = (await collector.spans(traceId)).find(({ kind }) => kind === 2)
    const line = linesOf(gateway).find((one) => one["event"] === "request" && one["request_id"] === id)
    expect(request).toMatchObject({
      severity: [9, "info"],
      body: "200 POST /v1/messages",
      traceId,
      spanId: server?.spanId,
      resource: server?.resource,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/messages",
        "url.path": "/v1/messages",
        "http.response.status_code": 200,
        "enduser.id": "ada",
        "gateway.account": "default",
        "gateway.model": "named",
        "gateway.upstream": "chat",
        "gateway.duration_ms": line?.["duration_ms"],
        "gateway.input_tokens": line?.["input_tokens"],
        "gateway.stream": false
      }
    })
    expect(request?.atMs).toBeCloseTo(Date.parse(String(line?.["time"])), 2)
    // Every field of the line and no other, under the names that spans have.
    expect(Object.keys(request?.attributes ?? {})).toHaveLength(Object.keys(line ?? {}).length - 4)
    expect(attempt).toMatchObject({
      severity: [13, "warn"],
      body: "a call to an upstream failed",
      traceId,
      spanId: server?.spanId,
      attributes: { "gateway.upstream": "broken", "http.response.status_code": 503 }
    })
  })

  it("are those that standard output has, and no others", async () => {
    const { id } = await asked(gateway)
    await recordsOf(id, 1)
    const printed = linesOf(gateway).map(({ event, message }) => [event, message].join(" "))
    const exported = (await collector.logs()).map(({ body, event }) => [event, body].join(" "))
    // The first ones came before the export began.
    expect(printed.slice(-exported.length)).toEqual(exported)
    expect(JSON.stringify(await collector.logs())).not.toMatch(/planted|test-key/)
  })

  it("name the caller's own span if the request is not sampled", async () => {
    const { header } = newTrace("00")
    const reply = await ask(gateway, "/v1/messages", say("x", { model: "plain" }), header)
    await reply.text()
    const [record] = await recordsOf(reply.headers.get("x-request-id") ?? "", 1)
    expect(record).toMatchObject({ traceId: header.split("-")[1], spanId: header.split("-")[2] })
  })

  it("with halves of surrogate pairs, or of any length, are taken", async () => {
    const strange = await start(collector.url, { OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json" })
    for (const to of [gateway, strange]) {
      const reply = await ask(to, "/v1/messages", say("x", { model: `\uD800${"m".repeat(500_000)}\uDC00` }))
      expect(reply.status).toBe(400)
      const [record] = await recordsOf(reply.headers.get("x-request-id") ?? "", 1)
      const model = String(record?.attributes["gateway.model"])
      expect([model.slice(0, 3), model.isWellFormed(), model.length <= 1_024]).toEqual(["\uFFFDmm", true, true])
    }
  })

  it("go alone, as JSON, packed and with headers of their own, where these are asked for", async () => {
    const own = await newCollector()
    const only = await start("", {
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${own.url}/v1/logs`,
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: "x-project=1",
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_LOGS_COMPRESSION: "gzip",
      OTEL_SERVICE_NAME: "other"
    })
    const { id } = await asked(only)
    const [record] = await recordsOf(id, 1, own)
    expect(record?.resource).toMatchObject({ "service.name": "other" })
    expect(await own.spans()).toEqual([])
    const { headers } = await own.collected()
    expect(headers[0]).toMatchObject({
      "x-project": "1",
      "content-encoding": "gzip",
      "content-type": "application/json"
    })
  })

  it("stay here where they are turned off", async () => {
    const own = await newCollector()
    const off = await start(own.url, { OTEL_LOGS_EXPORTER: "none" })
    const { traceId } = await asked(off)
    await expect.poll(async () => (await own.spans(traceId)).length, { timeout: 60_000 }).toBe(2)
    await stop(off)
    expect(await own.logs()).toEqual([])
  })

  it("leave with the gateway", async () => {
    const slow = await start(collector.url, { OTEL_BLRP_SCHEDULE_DELAY: "600000" })
    const { id } = await asked(slow)
    await stop(slow)
    expect((await collector.logs()).filter(ofRequest(id))).toHaveLength(1)
  })
})

describe("a collector", () => {
  it("that knows no logs is left alone, if nobody chose to send them", async () => {
    const own = await newCollector()
    const unchosen = await start(`${own.url}/elsewhere`)
    await asked(unchosen)
    await expect.poll(() => unchosen.output(), { timeout: 60_000 }).toContain("the collector takes no log lines")
    const calls = async () => (await own.collected()).came.length
    const chosen = await start(`${own.url}/elsewhere`, { OTEL_LOGS_EXPORTER: "otlp", OTEL_TRACES_EXPORTER: "none" })
    await asked(chosen)
    await expect.poll(() => chosen.output(), { timeout: 60_000 }).toContain('"reason":"status 404"')
    expect(chosen.output()).not.toContain("takes no log lines")
    expect(await calls()).toBeGreaterThan(1)
    expect(await counted(unchosen, "gateway_log_records_dropped_total")).toBe(0)
    await expect.poll(() => counted(chosen, "gateway_log_records_dropped_total")).toBeGreaterThan(0)
  })

  it("that asks to wait is asked again then, and what it accepts in part is counted", async () => {
    const own = await newCollector()
    await own.be("later")
    const waiting = await start(own.url, { OTEL_TRACES_EXPORTER: "none" })
    const { id } = await asked(waiting)
    await expect.poll(async () => (await own.collected()).came.length, { timeout: 60_000 }).toBeGreaterThan(2)
    const { came } = await own.collected()
    for (const [index, at] of came.slice(1).entries()) expect(at - (came[index] ?? 0)).toBeGreaterThanOrEqual(2_900)
    await own.be(200)
    await recordsOf(id, 1, own)
    for (const way of ["partial", "partialProtobuf"]) {
      const before = await counted(waiting, "gateway_log_records_dropped_total")
      await own.be(way)
      await Promise.all([asked(waiting), asked(waiting), asked(waiting)])
      await expect
        .poll(() => counted(waiting, "gateway_log_records_dropped_total"), { timeout: 60_000 })
        .toBeGreaterThanOrEqual(before + 2)
      await own.be(200)
      await recordsOf((await asked(waiting)).id, 1, own)
    }
    expect(waiting.output()).toContain('"reason":"2 rejected: too old"')
  })

  it.each(["never", "endless", "redirect", "muchLater", "garbage"])(
    "that answers %s costs requests nothing, and little memory",
    async (way) => {
      const own = await newCollector()
      await own.be(way)
      const bothered = await start(own.url, {
        OTEL_TRACES_EXPORTER: "none",
        OTEL_EXPORTER_OTLP_TIMEOUT: "500",
        OTEL_BLRP_MAX_QUEUE_SIZE: "20"
      })
      for (let n = 0; n < 50; n++) await asked(bothered)
      await expect.poll(async () => (await own.collected()).came.length, { timeout: 60_000 }).toBeGreaterThan(0)
      const isAccepted = ["endless", "garbage"].includes(way)
      await expect
        .poll(() => counted(bothered, `gateway_log_records_${isAccepted ? "exported" : "dropped"}_total`), {
          timeout: 60_000
        })
        .toBeGreaterThan(0)
      const told = () => bothered.output().split('"event":"logs.not_exported"').length - 1
      if (!isAccepted) await expect.poll(told, { timeout: 60_000 }).toBe(1)
      // A redirect is not followed: its target would get the headers.
      expect((await own.collected()).came).not.toContain(-1)
      await stop(bothered)
    }
  )

  it("without a trusted certificate gets nothing", async () => {
    let calls = 0
    const pem = (name: string) => readFileSync(join(import.meta.dirname, "../http/certificates", name), "utf8")
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      tls: { cert: pem("first.crt"), key: pem("first.key") },
      fetch: () => {
        calls++
        return new Response()
      }
    })
    try {
      const address = `${server.url.origin}/planted-path`
      const untold = await start(address, { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20planted" })
      await asked(untold)
      await expect.poll(() => untold.output(), { timeout: 60_000 }).toContain('"event":"logs.not_exported"')
      expect([calls, untold.output().includes("planted")]).toEqual([0, false])
      expect(untold.output()).toMatch(/"event":"logs.not_exported".*"reason":"self signed certificate"/)
    } finally {
      await server.stop(true)
    }
  })
})
