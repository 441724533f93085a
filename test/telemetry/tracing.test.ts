import { describe, expect, it } from "@effect/vitest"
import { readContext, Trace, writtenContext } from "../../src/contract/records/Trace.ts"
import { keyValues } from "../../src/telemetry/otlp/values.ts"
import { otlpSpan } from "../../src/telemetry/tracing/OtlpSpan.ts"
import { otlpSettings } from "../../src/telemetry/tracing/otlpSettings.ts"
import { samplers } from "../../src/telemetry/tracing/sampler.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

describe("a traceparent", () => {
  it("is read as W3C has it, later versions too", () => {
    const context = { traceId, spanId, isSampled: true }
    expect(readContext(`00-${traceId}-${spanId}-01`)).toEqual(context)
    expect(readContext(`00-${traceId}-${spanId}-00`)).toEqual({ ...context, isSampled: false })
    expect(readContext(`cc-${traceId}-${spanId}-03-what-will-be`)).toEqual(context)
    expect(readContext(writtenContext(context))).toEqual(context)
  })

  it.each([
    null,
    "",
    "00",
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`
  ])("is none: %s", (text) => expect(readContext(text)).toBeUndefined())

  it("names the call to the upstream, and the caller's own span where nothing is recorded", () => {
    const parent = { traceId, spanId, isSampled: true }
    const trace = new Trace(parent, true, "vendor=1")
    const to = { upstream: "u", provider: "p", operation: "chat", model: "m", stream: false }
    const call = trace.call(to)
    expect(trace.headers(call?.spanId)).toEqual({
      traceparent: `00-${traceId}-${call?.spanId}-01`,
      tracestate: "vendor=1"
    })
    const passing = new Trace({ ...parent, isSampled: false }, false)
    expect(passing.call(to)).toBeUndefined()
    expect(passing.headers()).toEqual({ traceparent: `00-${traceId}-${spanId}-00` })
  })
})

describe("OpenTelemetry's variables", () => {
  const endpoint = "https://collector:4318"
  const settings = (env: Readonly<Record<string, string>>) => otlpSettings(env).settings

  it("export nothing where they name no collector, or say so", () => {
    expect(otlpSettings({})).toEqual({ settings: undefined, warnings: [] })
    expect(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBeUndefined()
    expect(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "true" })).toBeUndefined()
    expect(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "none" })).toBeUndefined()
  })

  it("name the collector for all signals, or for traces alone", () => {
    expect(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })?.url).toBe(`${endpoint}/v1/traces`)
    expect(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/a/` })?.url).toBe(`${endpoint}/a/v1/traces`)
    const both = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://other/path" }
    expect(settings(both)?.url).toBe("http://other/path")
  })

  it("say how: protocol, headers, time, queue, resource", () => {
    expect(
      settings({
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20YTpi, x-a=1=2 ,broken",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-a=3",
        OTEL_EXPORTER_OTLP_TIMEOUT: "500",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_BSP_MAX_QUEUE_SIZE: "10",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=a,deployment.environment=prod"
      })
    ).toMatchObject({
      headers: { authorization: "Basic YTpi", "x-a": "3" },
      protocol: "http/json",
      timeoutMs: 500,
      isPacked: true,
      queue: { capacity: 10, batch: 10, delayMs: 5_000 },
      resource: { "service.name": "a", "deployment.environment": "prod" }
    })
    const named = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: "b" }
    expect(settings(named)?.resource).toEqual({ "service.name": "b" })
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector" }, "OTEL_EXPORTER_OTLP_ENDPOINT", true],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL", true],
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER", true],
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, "OTEL_TRACES_SAMPLER", false],
    [{ OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG", false],
    [{ OTEL_BSP_MAX_QUEUE_SIZE: "many" }, "OTEL_BSP_MAX_QUEUE_SIZE", false]
  ])("that can't be meant are told of: %o", (env, variable, isOff) => {
    const told = otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env })
    expect(told.warnings).toHaveLength(1)
    expect(told.warnings[0]).toContain(variable)
    expect(told.settings === undefined).toBe(isOff)
  })
})

describe("samplers", () => {
  const parent = (isSampled: boolean, id = traceId) => ({ traceId: id, spanId, isSampled })

  it("follow the caller, or do not", () => {
    for (const isSampled of [true, false]) {
      expect(samplers.parentbased_always_on()(parent(isSampled))).toBe(isSampled)
      expect(samplers.parentbased_always_off()(parent(isSampled))).toBe(isSampled)
      expect(samplers.parentbased_traceidratio(isSampled ? 0 : 1)(parent(isSampled))).toBe(isSampled)
      expect(samplers.always_on()()).toBe(true)
      expect(samplers.always_off()()).toBe(false)
    }
    expect(samplers.parentbased_always_on()(undefined)).toBe(true)
    expect(samplers.parentbased_always_off()(undefined)).toBe(false)
  })

  it("take a share of traces, and the same ones everywhere", () => {
    const low = parent(false, `${"f".repeat(19)}0000000000001`)
    const high = parent(true, `${"0".repeat(19)}fffffffffffff`)
    expect([low, high].map(samplers.traceidratio(0.5))).toEqual([true, false])
    expect([undefined, undefined].map(samplers.traceidratio(0))).toEqual([false, false])
    expect([undefined, undefined].map(samplers.parentbased_traceidratio(1))).toEqual([true, true])
  })
})

it("a span never ends before it begins, and leaves out what is not known", () => {
  const ids = { traceId, spanId, parentSpanId: undefined, name: "n", kind: 1 } as const
  const span = otlpSpan({ ...ids, fromMs: 1_700_000_000_000.25, toMs: 5, attributes: { a: undefined, b: [] } })
  expect(span).toMatchObject({
    startTimeUnixNano: "1700000000000250000",
    endTimeUnixNano: "1700000000000250000",
    attributes: [{ key: "b", value: { arrayValue: { values: [] } } }],
    status: { code: 0 }
  })
  expect(keyValues({ i: 1, d: 0.5, s: "x", t: true })).toEqual([
    { key: "i", value: { intValue: 1 } },
    { key: "d", value: { doubleValue: 0.5 } },
    { key: "s", value: { stringValue: "x" } },
    { key: "t", value: { boolValue: true } }
  ])
  // As a double, because the library encodes negative integers wrongly.
  expect(keyValues({ n: -1 })).toEqual([{ key: "n", value: { doubleValue: -1 } }])
})
