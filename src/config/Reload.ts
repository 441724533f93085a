import { statSync } from "node:fs"
import { Context, Effect, Layer, Option, Queue } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Configuration } from "./Configuration.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import { Settings } from "./Settings.ts"
import { defaultFile } from "./source.ts"

/** How often the file is looked at. */
const watchEvery = "500 millis"

/** Sections that a running process does not take over. */
const fixed = ["server", "database", "redis", "callbacks", "files", "custody", "retention", "requests", "log"] as const

/** Has the configuration read again. */
export class Reload extends Context.Tag("gateway/config/Reload")<
  Reload,
  {
    /** @param reason as the log says it */
    readonly want: (reason: string) => void
  }
>() {}

/**
 * Reads the configuration again on SIGHUP, when its file has changed, and when somebody wants it. One that is not in
 * order changes nothing; either way a line in the log says what happened.
 */
export const ReloadLive = Layer.scoped(
  Reload,
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const { filePath, isStored } = yield* Settings
    const path = Option.getOrElse(filePath, () => defaultFile)
    const name = isStored ? "the configuration" : path
    const wanted = yield* Queue.sliding<string>(1)
    const want = (reason: string) => void wanted.unsafeOffer(reason)

    const reload = (reason: string) =>
      Effect.gen(function* () {
        const before = configuration.current().value
        const { value } = yield* configuration.reload
        yield* Effect.annotateLogs(Effect.logInfo(`${name} reloaded (${reason})`), { event: "config.reloaded" })
        const waiting = fixed.filter((section) => !isSame(before[section], value[section]))
        if (waiting.length > 0) yield* Effect.logWarning(`${name}: ${waiting.join(", ")} change at the next start`)
      }).pipe(
        Effect.catchAll(({ message }) => Effect.logError(`not reloaded (${reason}), all stays as it was: ${message}`)),
        Effect.catchAllCause((cause) => Effect.logError(`not reloaded (${reason}), all stays as it was`, cause))
      )

    /** The file, and the one that it names. */
    const looked = () => {
      const pricesFile = configuration.current().value.prices_file
      const main = look(path)
      return main === undefined || pricesFile === undefined ? main : `${main}, ${look(pricesFile)}`
    }
    let seen = looked()
    let loaded = seen
    /** A file that is being written is left alone until it looks the same twice. */
    const watch = Effect.suspend(() => {
      const now = looked()
      const isSettled = now === seen
      seen = now
      if (!isSettled || now === loaded) return Effect.void
      loaded = now
      if (now === undefined)
        return Effect.logWarning(`${path} is gone: what it said stays in effect until the next start`)
      return wanted.offer("the file has changed")
    })

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const hangUp = () => want("SIGHUP")
        process.on("SIGHUP", hangUp)
        return hangUp
      }),
      (hangUp) => Effect.sync(() => process.off("SIGHUP", hangUp))
    )
    if (!isStored) yield* daemon("reload.watch", Effect.as(watch, Effect.sleep(watchEvery)), backoff)
    yield* daemon("reload", Effect.succeed(Effect.flatMap(wanted.take, reload)), backoff)
    return { want }
  })
).pipe(Layer.provide(Daemons.Default))

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
