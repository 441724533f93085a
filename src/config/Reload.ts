import { isTerminalGone } from "../flow/terminal.ts"
import { Context, Effect, Layer, Option, Queue, Struct } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Configuration } from "./Configuration.ts"
import { Settings } from "./Settings.ts"
import { defaultFile } from "./environment.ts"
import { makeCommandsPass } from "./makeCommandsPass.ts"
import { spelt } from "./spelt.ts"
import { regularFiles } from "../flow/RegularFiles.ts"
import type { UnreadableFile } from "../flow/RegularFiles.ts"
import { stampOf } from "./watchedFile.ts"
import type { Stamps } from "./watchedFile.ts"
import { Variables } from "./variables.ts"

const isMissing = (stamp: string | undefined) => stamp === undefined

const watchEvery = "500 millis"
const askEvery = "5 seconds"

/** Sections that take effect only at the next start. The Helm chart replaces its pods for them. */
export const fixed = [
  "server",
  "database",
  "redis",
  "callbacks",
  "files",
  "custody",
  "retention",
  "requests",
  "log"
] as const

/** Variables that take effect only at the next start: all but the secrets that are followed. */
const fixedVariables = Struct.keys(Variables.fields).filter(
  (name) => name !== "GATEWAY_ADMIN_KEY" && name !== "GATEWAY_WEBHOOK_SECRET"
)

/** Requests a reload of the configuration. */
export class Reload extends Context.Tag("gateway/config/Reload")<
  Reload,
  {
    /** @param reason for the log */
    readonly want: (reason: string) => void
  }
>() {}

/**
 * Reloads the configuration when its file or the output of one of its commands changes, on request, and on SIGHUP, which stops the process if its terminal was
 * closed. An invalid configuration changes nothing. Each reload logs its outcome.
 */
export const ReloadLive = Layer.scoped(
  Reload,
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const { filePath, isStored } = yield* Settings
    const path = Option.getOrElse(filePath, () => defaultFile)
    const name = isStored ? "the configuration" : path
    const wanted = yield* Queue.sliding<string>(1)
    let refusals = 0
    const want = (reason: string) => void wanted.unsafeOffer(reason)

    const reload = (reason: string) =>
      Effect.gen(function* () {
        refusals = regularFiles.refusals
        const { value: before, variables: earlier } = configuration.current()
        const { value, variables } = yield* configuration.reload
        loaded = asRead()
        configuration.setTrouble(undefined)
        yield* Effect.annotateLogs(Effect.logInfo(`${name} reloaded (${reason})`), { event: "config.reloaded" })
        const deferred = [
          ...fixed.filter((section) => spelt(before[section]) !== spelt(value[section])),
          ...fixedVariables.filter((name) => spelt(earlier?.[name]) !== spelt(variables?.[name]))
        ]
        if (deferred.length > 0) {
          yield* Effect.logWarning(`${name}: changes of ${deferred.join(", ")} take effect at the next start`)
        }
      }).pipe(
        Effect.catchAll(({ message }) => {
          // The version that was found could not be read: the next look finds it again.
          if (regularFiles.refusals !== refusals) loaded = ""
          configuration.setTrouble(`not reloaded, nothing has changed: ${message}`)
          return Effect.logError(`not reloaded (${reason}), nothing has changed: ${message}`)
        }),
        Effect.catchAllCause((cause) => Effect.logError(`not reloaded (${reason}), nothing has changed`, cause))
      )

    /** The file and those that it refers to. */
    const files = (): Stamps => configuration.current().files ?? new Map()
    const asRead = () => JSON.stringify([...files()])
    const asFound = Effect.suspend(() =>
      Effect.forEach(files().keys(), (file) => Effect.map(stampOf(file), (stamp) => [file, stamp]))
    ).pipe(Effect.map((stamps) => JSON.stringify(stamps)))
    let seen = yield* Effect.orElseSucceed(asFound, () => "")
    let silent: UnreadableFile | undefined
    /** A file that does not answer keeps its last version. It is told once. */
    const unanswered = (failure: UnreadableFile) => {
      if (silent !== undefined) return Effect.void
      silent = failure
      configuration.setTrouble(`${failure.message}: changes of the configuration wait for it`)
      return Effect.annotateLogs(
        Effect.logWarning(`${failure.message}: what was read of it stays in effect, and changes wait for it`),
        { event: "config.unreadable" }
      )
    }
    const answered = Effect.suspend(() => {
      if (silent === undefined) return Effect.void
      silent = undefined
      configuration.setTrouble(undefined)
      return Effect.logInfo("the files of the configuration can be read again")
    })
    // A change since the reading, before this watch began, is one too.
    let loaded = asRead()
    /** Reloads once two looks agree, so that a file is not read while it is being written. */
    const changed = (now: string): Effect.Effect<unknown, UnreadableFile> => {
      const isSettled = now === seen
      seen = now
      if (!isSettled || now === loaded) return Effect.void
      loaded = now
      if (isStored) return wanted.offer("a file of a secret has changed")
      const isGone = files().get(path) === undefined ? Effect.succeed(false) : Effect.map(stampOf(path), isMissing)
      return Effect.flatMap(isGone, (gone) =>
        gone
          ? Effect.logWarning(`${path} is gone: its last version stays in effect until the next start`)
          : wanted.offer("the file has changed")
      )
    }
    const watch = Effect.matchEffect(Effect.flatMap(Effect.tap(asFound, answered), changed), {
      onFailure: unanswered,
      onSuccess: () => Effect.void
    })

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const hangUp = () => (isTerminalGone() ? process.kill(process.pid, "SIGTERM") : want("SIGHUP"))
        process.on("SIGHUP", hangUp)
        if (isTerminalGone()) hangUp()
        return hangUp
      }),
      (hangUp) => Effect.sync(() => process.off("SIGHUP", hangUp))
    )
    const askCommands = yield* makeCommandsPass(() => configuration.current().printed ?? new Map())
    let failing: string | undefined
    const askAgain = Effect.tap(askCommands, ({ changed: [program], failure }) => {
      if (failure !== failing) configuration.setTrouble(failure)
      failing = failure
      return program === undefined ? Effect.void : wanted.offer(`the command ${program} prints another secret`)
    })
    yield* daemon("reload.commands", Effect.as(askAgain, Effect.sleep(askEvery)), backoff)
    yield* daemon("reload.watch", Effect.as(watch, Effect.sleep(watchEvery)), backoff)
    yield* daemon("reload", Effect.succeed(Effect.flatMap(wanted.take, reload)), backoff)
    return { want }
  })
).pipe(Layer.provide(Daemons.Default))
