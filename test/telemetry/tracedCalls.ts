import { join } from "node:path"
import { Schema } from "effect"
import type { GatewayProcess } from "../e2e/process.ts"
import { Collected } from "./otlp.ts"
import type { ReceivedLog, ReceivedSpan } from "./otlp.ts"

/** A collector in a process of its own. */
export const startCollector = async (port = 0) => {
  const child = Bun.spawn([process.execPath, join(import.meta.dirname, "collector.ts")], {
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "", COLLECTOR_PORT: String(port) }
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const url = new TextDecoder().decode(value).trim().replace(/\/$/, "")
  const collected = async () => Schema.decodeUnknownSync(Collected)(await (await fetch(`${url}/collected`)).json())
  return {
    url,
    collected,
    spans: async (traceId?: string): Promise<ReadonlyArray<ReceivedSpan>> =>
      (await collected()).spans.filter((span) => traceId === undefined || span.traceId === traceId),
    logs: async (event?: string): Promise<ReadonlyArray<ReceivedLog>> =>
      (await collected()).logs.filter((log) => event === undefined || log.event === event),
    /** @param how a status, or a name of the collector's `ways` */
    be: (how: number | string) => fetch(`${url}/be?how=${how}`),
    stop: async () => {
      child.kill()
      await child.exited
    }
  }
}

let traces = 0

/** A caller's own trace. */
export const newTrace = (flags = "01") => {
  const traceId = (++traces).toString(16).padStart(32, "a")
  const spanId = "00f067aa0ba902b7"
  return { traceId, spanId, header: `00-${traceId}-${spanId}-${flags}` }
}

export const ask = (to: Pick<GatewayProcess, "key" | "url">, path: string, body: object, traceparent?: string) =>
  fetch(`${to.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${to.key}`,
      "content-type": "application/json",
      "user-agent": "Somebody/1.0 (x)",
      ...(traceparent !== undefined && { traceparent, tracestate: "vendor=1" })
    },
    body: JSON.stringify(body)
  })

export const say = (content: string, more: object = {}) => ({
  model: "named",
  max_tokens: 100,
  messages: [{ role: "user", content }],
  ...more
})

export const plain = { model: "plain" }

/** The lines of a gateway's log. */
export const linesOf = (of: Pick<GatewayProcess, "output">): ReadonlyArray<Record<string, unknown>> =>
  of
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

/** The value of a metric without labels. */
export const counted = async (of: Pick<GatewayProcess, "url">, metric: string) => {
  const page = await (await fetch(`${of.url}/metrics`)).text()
  return Number(new RegExp(`^${metric} (\\d+)$`, "m").exec(page)?.[1])
}
