import { Effect } from "effect"
import { Logging } from "./Logging.ts"
import { LogTail } from "./LogTail.ts"

/** Characters that may wait for whoever reads: a reader that stands still costs no more memory than this. */
const capacity = 1024 * 1024

/** A failed write is an event too, and one that nobody hears ends the process. Its line is counted where it was written. */
const ignore = () => {}

/**
 * Where lines go: a plain call that never waits and never fails. What can't be written, because the disk is full or the
 * reader died or stands still, is dropped and counted, and a line says how much once there is somebody to read it.
 */
export class StandardOutput extends Effect.Service<StandardOutput>()("gateway/telemetry/StandardOutput", {
  scoped: Effect.gen(function* () {
    for (const stream of [process.stdout, process.stderr]) {
      if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore)
    }
    const { format } = yield* Logging
    let waiting = 0
    let dropped = 0
    let untold = 0

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
      untold += lines
    }

    const tell = () => {
      if (untold === 0) return
      const lines = untold
      untold = 0
      const message = `${lines} lines could not be written`
      const event = { time: new Date().toISOString(), level: "warn", event: "lines.dropped", message, lines }
      put(
        format === "json" ? `${JSON.stringify(event)}\n` : `${event.time.slice(11, 19)} WARN ${message}\n`,
        () => {
          untold += lines
        },
        ignore
      )
    }

    const write = (text: string, lines: number): void => {
      if (waiting > capacity) return drop(lines)
      put(text, () => drop(lines), tell)
    }

    /** What was written last leaves before the process does, where anybody takes it. */
    yield* Effect.addFinalizer(() =>
      Effect.sleep("10 millis").pipe(
        Effect.repeat({ until: () => waiting === 0 }),
        Effect.interruptible,
        Effect.timeoutOption("1 second"),
        Effect.when(() => waiting > 0)
      )
    )

    return {
      /** Whole lines, and how many there are of them. */
      write,
      /** Words for whoever starts the process, to standard error: in no format, so that all other output may have one. */
      say: (text: string): void => void process.stderr.write(`${text}\n`),
      /** Lines dropped since the start. */
      dropped: () => dropped,
      /** What was written last, whether or not anybody took it. */
      tail: new LogTail()
    } as const
  })
}) {}
