import { Effect } from "effect"
import type { Scope } from "effect"
import type { BadSettings, Located } from "./document.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import { Settings } from "./Settings.ts"

/**
 * Works out what a file means for its owner, or complains. What it answers puts that into effect; it runs once nobody
 * complained, in one go with everybody else's, and so must not wait.
 */
export type Prepare = (file: Located<GatewayFile>) => Effect.Effect<() => void, BadSettings>

/** What `gateway.yaml` says now. A reload takes the whole file or nothing of it. */
export class Configuration extends Effect.Service<Configuration>()("gateway/config/Configuration", {
  effect: Effect.gen(function* () {
    const settings = yield* Settings
    const oneAtATime = yield* Effect.makeSemaphore(1)
    const followers = new Set<Prepare>()
    let current = settings.file

    /** Takes the file as it is, and again whenever it is reloaded, until the scope closes. */
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

    const takenOver = (file: Located<GatewayFile>) =>
      Effect.map(
        Effect.forEach(followers, (prepare) => prepare(file)),
        (prepared) => {
          for (const apply of prepared) apply()
        }
      )

    /** Reads the file again. A failure has changed nothing. */
    const reload: Effect.Effect<Located<GatewayFile>, BadSettings> = oneAtATime.withPermits(1)(
      Effect.gen(function* () {
        const file = yield* settings.reread
        yield* takenOver(file)
        current = file
        return file
      })
    )

    /** Takes the same file once more: something that it speaks of has changed. */
    const renew: Effect.Effect<void, BadSettings> = oneAtATime.withPermits(1)(Effect.suspend(() => takenOver(current)))

    return { current: () => current, follow, reload, renew } as const
  })
}) {}
