import { Effect } from "effect"
import { Logging } from "./Logging.ts"
import { LogTail } from "./LogTail.ts"

/** Characters that may wait for the reader; bounds the memory that a stalled reader costs. */
const capacity = 1024 * 1024

/** Handles `error` events of failed writes, which would end the process. `write` counts the lost lines. */
const ignore = () => {}

/**
 * Writes lines to standard output, with plain calls that never wait and never fail. Lines that can't be written (full
 * disk, dead or stalled reader) are dropped and counted; once writing works again, a line reports their number.
 */
export class StandardOutput extends Effect.Service<StandardOutput>()("gateway/telemetry/StandardOutput", {
  scoped: Effect.gen(function* () {
    for (const stream of [process.stdout, process.stderr]) {
      if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore)
    }
    const { format } = yield* Logging
    let waiting = 0
    let dropped = 0
    let unreported = 0

    const put = (text: string, failed: () => void, written: () => void) => {
      waiting += text.length
      process.stdout.write(text, (error) => {
        waiting -= text.length
        if (error === null || error === undefined) written()
        else failed()
      })
    }

    const drop = (lines: number) => {
      dropped += lines
      unreported += lines
    }

    const report = () => {
      if (unreported === 0) return
      const lines = unreported
      unreported = 0
      const message = `${lines} lines could not be written`
      const event = { time: new Date().toISOString(), level: "warn", event: "lines.dropped", message, lines }
      put(
        format === "json" ? `${JSON.stringify(event)}\n` : `${event.time.slice(11, 19)} WARN ${message}\n`,
        () => {
          unreported += lines
        },
        ignore
      )
    }

    const write = (text: string, lines: number): void => {
      if (waiting > capacity) return drop(lines)
      put(text, () => drop(lines), report)
    }

    /** Waits up to a second for pending lines before the process ends. */
    yield* Effect.addFinalizer(() =>
      Effect.sleep("10 millis").pipe(
        Effect.repeat({ until: () => waiting === 0 }),
        Effect.interruptible,
        Effect.timeoutOption("1 second"),
        Effect.when(() => waiting > 0)
      )
    )

    return {
      /** @param text whole lines @param lines their number */
      write,
      /** A message to the operator on standard error, as plain text, so that standard output keeps one format. */
      say: (text: string): void => void process.stderr.write(`${text}\n`),
      /** Lines dropped since the start. */
      dropped: () => dropped,
      /** The last lines, including dropped ones. */
      tail: new LogTail()
    } as const
  })
}) {}
