import { Deferred, Effect, FiberId } from "effect"
import type { Scope } from "effect"
import { heeding, Notices } from "../sql/Notices.ts"

/** What a request is known by: whose it is, of which endpoint, and its key. */
interface Named {
  readonly account: string
  readonly endpoint: string
  readonly key: string
}

/** Requests of this process that wait for an answer which another makes. */
export class PendingAnswers extends Effect.Service<PendingAnswers>()("gateway/idempotency/PendingAnswers", {
  scoped: Effect.gen(function* () {
    const notices = yield* Notices
    const all = new Map<string, Set<Deferred.Deferred<void>>>()
    const wake = (name: string) => all.get(name)?.forEach((one) => Deferred.unsafeDone(one, Effect.void))
    yield* heeding("answers", (names) => (names ?? all.keys()).forEach(wake))

    return {
      /** To be run once the answer is stored, or nobody makes it any more. */
      tell: (ask: Named): void => {
        const name = nameOf(ask)
        wake(name)
        notices.tell("answers", name)
      },
      /** All look again. */
      wakeAll: (): void => all.forEach((_, name) => wake(name)),
      /** Waits for being told, from now on: what is read after this is not over before it is heard. */
      register: (ask: Named): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => {
              const name = nameOf(ask)
              const told = Deferred.unsafeMake<void>(FiberId.none)
              const some = all.get(name) ?? new Set()
              all.set(name, some.add(told))
              return { name, told, some }
            }),
            ({ name, some, told }) =>
              Effect.sync(() => {
                some.delete(told)
                if (some.size === 0 && all.get(name) === some) all.delete(name)
              })
          ),
          ({ told }) => Deferred.await(told)
        )
    } as const
  })
}) {}

/** Short, and says nothing of the key. */
const nameOf = ({ account, endpoint, key }: Named): string =>
  Bun.SHA256.hash(JSON.stringify([account, endpoint, key]), "base64").slice(0, 22)
