import { statSync } from "node:fs"
import { Effect, Layer, Option, Queue, Schedule } from "effect"
import { Configuration } from "./Configuration.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import { defaultFile, Settings } from "./Settings.ts"

/** How often the file is looked at. */
const watchEvery = Schedule.spaced("500 millis")

/** Sections that a running process does not take over. */
const fixed = ["server", "database", "callbacks", "retention"] as const

/**
 * Reads `gateway.yaml` again on SIGHUP and when it has changed. A file that is not in order changes nothing; either way
 * a line in the log says what happened.
 */
export const ReloadLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const { filePath } = yield* Settings
    const path = Option.getOrElse(filePath, () => defaultFile)
    const wanted = yield* Queue.sliding<"SIGHUP" | "the file has changed">(1)

    const reload = (reason: string) =>
      Effect.gen(function* () {
        const before = configuration.current().value
        const { value } = yield* configuration.reload
        yield* Effect.logInfo(`${path} reloaded (${reason})`)
        const waiting = fixed.filter((section) => !isSame(before[section], value[section]))
        if (waiting.length > 0) yield* Effect.logWarning(`${path}: ${waiting.join(", ")} change at the next start`)
      }).pipe(
        Effect.catchAll(({ message }) => Effect.logError(`not reloaded (${reason}), all stays as it was: ${message}`)),
        Effect.catchAllCause((cause) => Effect.logError(`not reloaded (${reason}), all stays as it was`, cause))
      )

    let seen = look(path)
    let loaded = seen
    /** A file that is being written is left alone until it looks the same twice. */
    const watch = Effect.suspend(() => {
      const now = look(path)
      const isSettled = now === seen
      seen = now
      if (!isSettled || now === loaded || now === undefined) return Effect.void
      loaded = now
      return wanted.offer("the file has changed")
    })

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const hangUp = () => void wanted.unsafeOffer("SIGHUP")
        process.on("SIGHUP", hangUp)
        return hangUp
      }),
      (hangUp) => Effect.sync(() => process.off("SIGHUP", hangUp))
    )
    yield* Effect.forkScoped(Effect.repeat(watch, watchEvery))
    yield* wanted.take.pipe(
      Effect.flatMap(reload),
      Effect.forever,
      Effect.annotateLogs({ fiber: "reload" }),
      Effect.forkScoped
    )
  })
)

/** What tells one version of a file from another; undefined where there is none. */
const look = (path: string): string | undefined => {
  try {
    const { ino, mtimeMs, size } = statSync(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return undefined
  }
}

const isSame = (one: GatewayFile[keyof GatewayFile], other: GatewayFile[keyof GatewayFile]) =>
  JSON.stringify(one) === JSON.stringify(other)
