import type { JsonObject } from "../../../src/contract/fields.ts"
import { anthropic } from "./anthropic.ts"
import { chat } from "./chat.ts"
import { gemini } from "./gemini.ts"
import { responses } from "./responses.ts"
import type { Dialect, Scenario } from "./scenarios.ts"
import { scenarios } from "./scenarios.ts"
import { complaint } from "./strict.ts"

export const dialects = {
  "anthropic-messages": anthropic,
  "openai-responses": responses,
  "openai-chat": chat
} as const
export type DialectName = keyof typeof dialects

/** With the dialects that no family speaks. */
const fakes = { ...dialects, gemini } as const
export type FakeName = keyof typeof fakes

/** An answer to a request in a dialect, as its stream's frames and whole. */
export type Playing = (
  name: DialectName,
  body: Asked["body"],
  model: string
) => { readonly frames: ReadonlyArray<JsonObject>; readonly whole: JsonObject }

export interface Asked {
  readonly path: string
  readonly headers: Record<string, string>
  /** The body as it came. */
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
  readonly body: any
}

export interface FakeOptions {
  /** Bytes a chunk; undefined is one event a chunk. */
  readonly cut?: number
  /** Stays silent after this many events, the connection open. */
  readonly hangAfter?: number
  /** Refuses, as the real thing would, what breaks the dialect's own rules. */
  readonly strict?: boolean
  /** Answers instead of the dialect; undefined goes on as usual. */
  readonly answer?: (asked: Asked) => Response | Promise<Response> | undefined
}

/**
 * A real HTTP server that speaks a dialect as recorded from the real thing. What it plays is the last `play:<scenario>`
 * in the request; `error-before` answers 400, or the status behind `status:`, and with `breaks:off` there is only half an
 * answer. `GET /asked` tells every request so far.
 */
export const fakeUpstream = (name: FakeName, options: FakeOptions = {}) => {
  const dialect: Dialect = fakes[name]
  const asked: Array<Asked> = []
  let open = 0
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      const text = await request.text()
      const path = new URL(request.url).pathname
      if (path === "/asked") return Response.json(asked)
      const one: Asked = { path, headers: Object.fromEntries(request.headers), text, body: JSON.parse(text || "{}") }
      asked.push(one)
      const own = await options.answer?.(one)
      if (own !== undefined) return own
      const place = dialect.placed === undefined ? usualPlace(dialect, one) : dialect.placed(one)
      if (place === undefined) return new Response("not found", { status: 404 })
      if ("answer" in place) return Response.json(place.answer, { status: place.status })
      const scenario = scenarioOf(text)
      const { model, stream } = place
      const wrong = options.strict === true ? complaint(name, one.body, model) : undefined
      if (wrong !== undefined) return Response.json(dialect.error(400, `fake upstream: ${wrong}`), { status: 400 })
      const turn = text.match(toolResult)?.length ?? 0
      if (scenario === "error-before") return refusal(dialect, text)
      if (text.includes("play:blocked") && dialect.blocked !== undefined) {
        const answer = dialect.blocked
        return stream
          ? new Response(eventText(dialect, answer), { headers: { "content-type": "text/event-stream" } })
          : Response.json(answer)
      }
      if (!stream) {
        if (scenario === "error-after") return Response.json({ nothing: "of use" })
        const answer = JSON.stringify(dialect.answer(scenario, model, turn))
        return new Response(breaksOff(text) ? answer.slice(0, answer.length / 2) : answer, { headers: json })
      }
      const frames = dialect.frames(scenario, model, turn)
      const whole = frames.map((frame) => eventText(dialect, frame)).concat(dialect.end === "" ? [] : [dialect.end])
      const written = breaksOff(text) ? whole.slice(0, whole.length / 2) : whole
      open++
      return new Response(
        body(written, scenario === "error-after" ? { ...options, pauseMs: 200 } : options, () => open--),
        { headers: { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_upstream" } }
      )
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Every request so far. */
    asked,
    /** Streams that are neither over nor cancelled. */
    open: () => open,
    stop: () => server.stop(true)
  }
}

const json = { "content-type": "application/json" }

const breaksOff = (text: string): boolean => text.includes("breaks:off")

const usualPlace = (dialect: Dialect, { body, path }: Asked) =>
  path === dialect.path ? { model: body.model as string, stream: body.stream === true } : undefined

/** A tool's result, in any dialect. */
const toolResult = /"type":"tool_result"|"type":"\w+_call_output"|"role":"tool"|"functionResponse":/g

const scenarioOf = (text: string): Scenario => {
  const named = [...text.matchAll(/play:([a-z-]+)/g)].at(-1)?.[1]
  return scenarios.find((scenario) => scenario === named) ?? "text"
}

const refusal = (dialect: Dialect, text: string): Response => {
  const status = Number(/status:(\d{3})/.exec(text)?.[1] ?? 400)
  return Response.json(dialect.error(status, "messages: too few of them"), { status, headers: { "retry-after": "7" } })
}

const eventText = (dialect: Dialect, frame: Readonly<Record<string, unknown>>): string =>
  dialect.written?.(frame) ??
  `${dialect.named ? `event: ${String(frame["type"])}\n` : ""}data: ${JSON.stringify(frame)}\n\n`

interface BodyOptions extends FakeOptions {
  /** Before the last chunk, so that the others are with their reader by then. */
  readonly pauseMs?: number
}

const body = (events: ReadonlyArray<string>, options: BodyOptions, closed: () => void): ReadableStream<Uint8Array> => {
  const shown = events.slice(0, options.hangAfter ?? events.length)
  const chunks = options.cut === undefined ? shown.map((event) => Buffer.from(event)) : cut(shown.join(""), options.cut)
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      const chunk = chunks[at++]
      if (options.pauseMs !== undefined && at >= chunks.length - 1) await Bun.sleep(options.pauseMs)
      if (chunk !== undefined) return controller.enqueue(chunk)
      if (options.hangAfter !== undefined) return new Promise(() => {})
      closed()
      controller.close()
    },
    cancel: closed
  })
}

const cut = (text: string, size: number): ReadonlyArray<Buffer> => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))
}
