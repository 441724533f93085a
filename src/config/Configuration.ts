import { Effect } from "effect"
import type { Scope } from "effect"
import type { BadSettings } from "./document.ts"
import { Settings } from "./Settings.ts"
import type { LoadedFile } from "./Settings.ts"

/**
 * Validates a file for one service and returns the function that applies it. The apply functions of all services run
 * together, synchronously, once every service has accepted the file.
 */
export type Prepare = (file: LoadedFile) => Effect.Effect<() => void, BadSettings>

/** A configuration that could not be read again. */
interface Trouble {
  readonly message: string
  readonly sinceMs: number
}

/** The current `gateway.yaml`. A reload applies the whole file or nothing. */
export class Configuration extends Effect.Service<Configuration>()("gateway/config/Configuration", {
  effect: Effect.gen(function* () {
    const settings = yield* Settings
    const oneAtATime = yield* Effect.makeSemaphore(1)
    const followers = new Set<Prepare>()
    let current = settings.file
    let trouble: Trouble | undefined

    /** Applies the current file, and each reloaded one until the scope closes. */
    const follow = (prepare: Prepare): Effect.Effect<void, BadSettings, Scope.Scope> =>
      oneAtATime.withPermits(1)(
        Effect.gen(function* () {
          const apply = yield* prepare(current)
          apply()
          yield* Effect.acquireRelease(
            Effect.sync(() => followers.add(prepare)),
            () => Effect.sync(() => followers.delete(prepare))
          )
        })
      )

    const applyAll = (file: LoadedFile) =>
      Effect.map(
        Effect.forEach(followers, (prepare) => prepare(file)),
        (prepared) => {
          for (const apply of prepared) apply()
        }
      )

    /** Reads the file again. A failure changes nothing. */
    const reload: Effect.Effect<LoadedFile, BadSettings> = oneAtATime.withPermits(1)(
      Effect.gen(function* () {
        const file = yield* settings.reread
        yield* applyAll(file)
        current = file
        return file
      })
    )

    /** Applies the same file again, after something that it refers to has changed. */
    const renew: Effect.Effect<void, BadSettings> = oneAtATime.withPermits(1)(Effect.suspend(() => applyAll(current)))

    /** Notes why the current file may not be what the operator has written; undefined: no more. */
    const setTrouble = (message: string | undefined): void => {
      trouble = message === undefined ? undefined : { message, sinceMs: trouble?.sinceMs ?? Date.now() }
    }

    return { current: () => current, trouble: () => trouble, setTrouble, follow, reload, renew } as const
  })
}) {}
