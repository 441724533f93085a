import { Context, Effect, Layer } from "effect"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import { showUsd } from "../contract/text/showUsd.ts"
import { testDouble } from "../contract/testDouble.ts"
import { visible } from "../contract/text/visible.ts"
import { Logging } from "./Logging.ts"
import { levelOf, requestLine } from "./requestLine.ts"
import type { LogTail } from "./LogTail.ts"
import { StandardOutput } from "./StandardOutput.ts"

/** Logs requests. A plain call, so that the hot path only builds a string. */
export class AccessLog extends Context.Tag("gateway/telemetry/AccessLog")<
  AccessLog,
  {
    /** Called at the end of each request. */
    readonly record: (record: RequestRecord) => void
    /** Lines that could not be written since the start. */
    readonly dropped: () => number
    /** The process's last log lines, of requests and messages, if they are kept. */
    readonly tail?: LogTail
  }
>() {
  /** Writes lines to the output at hand in batches, at least ten times a second. Logs health probes only if they fail. */
  static readonly ToOutput = Layer.scoped(
    AccessLog,
    Effect.gen(function* () {
      const output = yield* StandardOutput
      const { format, level } = yield* Logging
      const least = severity[level]
      let lines = ""
      let text = ""
      let count = 0
      let timer: ReturnType<typeof setTimeout> | undefined
      const flush = () => {
        clearTimeout(timer)
        timer = undefined
        if (count === 0) return
        output.write(format === "json" ? lines : text, count)
        output.tail.push(lines)
        lines = ""
        text = ""
        count = 0
      }
      yield* Effect.addFinalizer(() => Effect.sync(flush))
      return {
        record: (record) => {
          if (severity[levelOf(record)] < least) return
          if (record.family === "health" && record.status < 400) return
          lines += requestLine(record)
          // The tail always holds JSON.
          if (format === "text") text += `${words(record)}\n`
          count++
          if (lines.length >= most) flush()
          else timer ??= setTimeout(flush, 100)
        },
        dropped: output.dropped,
        tail: output.tail
      }
    })
  )

  /** Writes lines to standard output. */
  static readonly Stdout = Layer.provide(AccessLog.ToOutput, StandardOutput.Default)

  static readonly Off = Layer.succeed(AccessLog, { record: () => {}, dropped: () => 0 })

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<(typeof AccessLog)["Service"]>) => testDouble(AccessLog, given)
}

/** Characters at which waiting lines are written at once. */
const most = 64 * 1024

const severity = { debug: 0, info: 1, warn: 2, error: 3 }

/** `12:00:01 200 POST /v1/messages claude-x via anthropic 812ms $0.0012 req_…`. */
const words = (record: RequestRecord): string => {
  const { atMs, costNanoUsd, durationMs, error, method, model, path, requestId, status, upstream } = record
  // The caller's text must not control the terminal.
  const ofModel = model === undefined ? "" : ` ${visible(model)}`
  const by = upstream === undefined ? "" : ` via ${upstream}`
  const cost = costNanoUsd === undefined ? "" : ` $${showUsd(costNanoUsd)}`
  const why = error === undefined ? "" : ` ${error}`
  const time = new Date(atMs).toISOString().slice(11, 19)
  return `${time} ${status} ${method} ${path}${ofModel}${by}${why} ${durationMs.toFixed(1)}ms${cost} ${requestId}`
}
