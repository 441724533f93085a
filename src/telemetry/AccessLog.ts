import { Context, Effect, Layer } from "effect"
import type { RequestRecord } from "../contract/RequestRecord.ts"
import { showUsd } from "../contract/showUsd.ts"
import { testDouble } from "../contract/testDouble.ts"
import { warmingUp } from "../flow/Lifecycle.ts"
import { Logging } from "./Logging.ts"
import type { LogTail } from "./LogTail.ts"
import { StandardOutput } from "./StandardOutput.ts"

/** Where requests are logged: a plain call, so that the hot path pays for a string and nothing else. */
export class AccessLog extends Context.Tag("gateway/telemetry/AccessLog")<
  AccessLog,
  {
    /** Hears of a request when it is over. */
    readonly record: (record: RequestRecord) => void
    /** Lines that could not be written since the start. */
    readonly dropped: () => number
    /** The last lines of this process, its own messages among them; absent where nobody keeps any. */
    readonly tail?: LogTail
  }
>() {
  /** Lines to standard output, written together at least ten times a second, in the format of all others. Probes only where they fail. */
  static readonly Stdout = Layer.scoped(
    AccessLog,
    Effect.gen(function* () {
      const output = yield* StandardOutput
      const { format, level } = yield* Logging
      const render = format === "text" ? words : line
      const least = leastStatus[level]
      // Each line becomes bytes at once: as one long string, of pieces that wait for a tenth of a second, they cost the
      // collector five times what they cost to make.
      const lines = new Bun.ArrayBufferSink()
      lines.start({ asUint8Array: true, stream: true })
      let bytes = 0
      let count = 0
      let timer: ReturnType<typeof setTimeout> | undefined
      const flush = () => {
        clearTimeout(timer)
        timer = undefined
        const written = lines.flush()
        if (count > 0 && written instanceof Uint8Array) {
          output.write(written, count)
          if (format === "json") output.tail.push(written)
        }
        bytes = 0
        count = 0
      }
      yield* Effect.addFinalizer(() => Effect.sync(flush))
      return {
        record: (record) => {
          if (record.status < least && !(level === "warn" && record.error !== undefined)) return
          // A start is no trouble either.
          if (record.family === "health" && (record.status < 400 || record.reason === warmingUp)) return
          bytes += lines.write(`${render(record)}\n`)
          count++
          // On a terminal lines are for people; who reads them elsewhere gets the same as anywhere.
          if (format === "text") output.tail.push(`${line(record)}\n`)
          if (bytes >= most) flush()
          else timer ??= setTimeout(flush, 100)
        },
        dropped: output.dropped,
        tail: output.tail
      }
    })
  ).pipe(Layer.provide(StandardOutput.Default))

  static readonly Off = Layer.succeed(AccessLog, { record: () => {}, dropped: () => 0 })

  /** For tests: what is not given dies when it is used. */
  static readonly Test = (given: Partial<(typeof AccessLog)["Service"]>) => testDouble(AccessLog, given)
}

/** Lines are written when they are so many bytes, or a tenth of a second after the first. */
const most = 64 * 1024

/** The least status of a request that is told, by the level from which on lines are. */
const leastStatus = { debug: 0, info: 0, warn: 400, error: 500 }

/** `12:00:01 200 POST /v1/messages claude-x via anthropic 812ms $0.0012 req_…`. */
const words = (record: RequestRecord): string => {
  const { atMs, costNanoUsd, durationMs, error, method, model, path, requestId, status, upstream } = record
  // Callers can make it up: a terminal must not take it for orders.
  const asked = model === undefined ? "" : ` ${model.replaceAll(/\p{Cc}+/gu, " ")}`
  const by = upstream === undefined ? "" : ` via ${upstream}`
  const cost = costNanoUsd === undefined ? "" : ` $${showUsd(costNanoUsd)}`
  const why = error === undefined ? "" : ` ${error}`
  const time = new Date(atMs).toISOString().slice(11, 19)
  return `${time} ${status} ${method} ${path}${asked}${by}${why} ${durationMs.toFixed(1)}ms${cost} ${requestId}`
}

/**
 * JSON by hand, at a third of the price: what callers can make up is escaped, all else has nothing to escape. What is not
 * known is left out.
 */
const line = (record: RequestRecord): string => {
  const { account, attempts, durationMs, family, method, path, requestId, status, tags, used } = record
  const level = status >= 500 ? "error" : status >= 400 || record.error !== undefined ? "warn" : "info"
  const shownPath = quoted(path)
  let text = `{"time":"${timeOf(record.atMs)}","level":"${level}","event":"request","message":"${status} ${method} ${shownPath.slice(1)},"request_id":"${requestId}"`
  if (account !== undefined) text += `,"account":${quoted(account)},"key":${quoted(record.key ?? "")}`
  text += `,"family":"${family}","endpoint":"${record.endpoint}","method":"${method}","path":${shownPath},"status":${status}`
  text +=
    named("error", record.error) +
    named("reason", record.reason) +
    named("model", record.model) +
    named("upstream_model", record.upstreamModel)
  text += named("upstream", record.upstream)
  if (attempts.length > 0) text += `,"attempt":${attempts.length}`
  text += `,"stream":${record.stream},"first_byte_ms":${thousandths(record.firstByteMs)},"duration_ms":${thousandths(durationMs)}`
  if (used !== undefined) {
    text += `,"input_tokens":${used.inputTokens},"output_tokens":${used.outputTokens}`
    if (used.cacheReadTokens > 0) text += `,"cache_read_tokens":${used.cacheReadTokens}`
    if (used.cacheWriteTokens > 0) text += `,"cache_write_tokens":${used.cacheWriteTokens}`
    if (used.reasoningTokens > 0) text += `,"reasoning_tokens":${used.reasoningTokens}`
    if (used.searches > 0) text += `,"searches":${used.searches}`
  }
  if (record.costNanoUsd !== undefined) text += `,"cost_usd":${showUsd(record.costNanoUsd)}`
  text += named("adapted", record.adapted)
  if (tags.length > 0) text += `,"tags":${JSON.stringify(tags)}`
  text += named("end_user", record.endUser) + named("client", record.client) + named("idempotency", record.repetition)
  text += named("client_request_id", record.clientRequestId) + named("traceparent", record.traceparent)
  return `${text}}`
}

/** Many requests share a millisecond, and a date's text costs as much as half of their line. */
let known = { ms: 0, text: "" }
const timeOf = (ms: number): string => {
  if (known.ms !== ms) known = { ms, text: new Date(ms).toISOString() }
  return known.text
}

const named = (name: string, value: string | undefined): string =>
  value === undefined ? "" : `,"${name}":${quoted(value)}`

const quoted = (text: string): string => (isPlain.test(text) ? `"${text}"` : JSON.stringify(text))

const isPlain = /^[\w/.:,= -]*$/

/** `12.034`: integers are written many times faster than fractions. */
const thousandths = (value: number): string => {
  const whole = Math.floor(value)
  const rest = Math.floor((value - whole) * 1_000)
  return `${whole}.${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}`
}
