import { Deferred, Effect, FiberId } from "effect"
import type { Scope } from "effect"
import { onNotice, Notices } from "../sql/Notices.ts"

/** The identity of requests that share an answer. */
interface Named {
  readonly account: string
  readonly endpoint: string
  readonly key: string
}

/** This process's requests that wait for another process's answer. */
export class PendingAnswers extends Effect.Service<PendingAnswers>()("gateway/idempotency/PendingAnswers", {
  scoped: Effect.gen(function* () {
    const notices = yield* Notices
    const all = new Map<string, Set<Deferred.Deferred<void>>>()
    const wake = (name: string) => all.get(name)?.forEach((one) => Deferred.unsafeDone(one, Effect.void))
    yield* onNotice("answers", (names) => (names ?? all.keys()).forEach(wake))

    return {
      /** Called once the answer is stored or abandoned. */
      tell: (ask: Named): void => {
        const name = nameOf(ask)
        wake(name)
        notices.notify("answers", name)
      },
      /** Makes all waiting requests check again. */
      wakeAll: (): void => all.forEach((_, name) => wake(name)),
      /** Registers for a wake-up. Register before reading the claim, so that no wake-up is missed. */
      register: (ask: Named): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => {
              const name = nameOf(ask)
              const woken = Deferred.unsafeMake<void>(FiberId.none)
              const some = all.get(name) ?? new Set()
              all.set(name, some.add(woken))
              return { name, woken, some }
            }),
            ({ name, some, woken }) =>
              Effect.sync(() => {
                some.delete(woken)
                if (some.size === 0 && all.get(name) === some) all.delete(name)
              })
          ),
          ({ woken }) => Deferred.await(woken)
        )
    } as const
  })
}) {}

/** A short hash that does not reveal the key. */
const nameOf = ({ account, endpoint, key }: Named): string =>
  Bun.SHA256.hash(JSON.stringify([account, endpoint, key]), "base64").slice(0, 22)
