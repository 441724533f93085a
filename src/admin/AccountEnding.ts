import { Clock, Effect } from "effect"
import { Accounts } from "../access/store/Accounts.ts"
import type { Actor } from "../contract/callers/Acting.ts"
import { Conflict } from "../contract/failures/Failure.ts"
import type { NotFound } from "../contract/failures/Failure.ts"
import { Changes } from "../sql/Changes.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import type { AccountDeleted } from "./AccountDeleted.ts"
import { AccountAdministration } from "./AccountAdministration.ts"
import { makeChange } from "./change.ts"
import { Audit } from "./store/Audit.ts"
import { Erasure } from "./store/Erasure.ts"

/** Suspends, resumes and deletes accounts. */
export class AccountEnding extends Effect.Service<AccountEnding>()("gateway/admin/AccountEnding", {
  dependencies: [Accounts.Default, AccountAdministration.Default, Erasure.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const accounts = yield* Accounts
    const erasure = yield* Erasure
    const store = yield* TaskStore
    const change = yield* makeChange

    const { show } = yield* AccountAdministration

    const changeSuspension = (actor: Actor, id: string, action: string, atMs: Effect.Effect<number | null>) =>
      change({
        actor,
        action,
        before: show(id),
        write: Effect.flatMap(atMs, (at) => accounts.suspend(id, at)),
        after: () => show(id),
        target: () => id
      }).pipe(Effect.map(({ after }) => after))

    /** The account's keys stop working within a second; running requests and tasks finish. */
    const suspend = (actor: Actor, id: string) =>
      changeSuspension(actor, id, "account.suspend", Clock.currentTimeMillis)

    const resume = (actor: Actor, id: string) => changeSuspension(actor, id, "account.resume", Effect.succeed(null))

    const deletable = (id: string) =>
      Effect.gen(function* () {
        const account = yield* show(id)
        if (account.suspended_at === null) {
          return yield* conflict(`suspend ${id} first, so that what it has under way comes to its end`)
        }
        const tasks = yield* Effect.orDie(store.unfinished(id))
        if (tasks > 0) {
          return yield* conflict(
            `${id} has ${tasks} unfinished ${tasks === 1 ? "task" : "tasks"}: cancel them, or wait`
          )
        }
        if (yield* accounts.isDeclared(id)) {
          return yield* conflict(`${id} has keys in the configuration file: take them out first`)
        }
        return account
      })

    /**
     * Removes everything a suspended account has stored. Usage and payments stay, without any content.
     */
    const remove = (actor: Actor, id: string): Effect.Effect<AccountDeleted, NotFound | Conflict> =>
      Effect.gen(function* () {
        yield* deletable(id).pipe(Effect.catchTag("SqlError", Effect.die))
        const removed = yield* Effect.orDie(erasure.erase(id))
        yield* change({
          actor,
          action: "account.delete",
          before: deletable(id),
          write: Effect.flatMap(Clock.currentTimeMillis, (nowMs) => accounts.delete(id, nowMs)),
          after: () => Effect.succeed({ removed }),
          target: () => id
        })
        return { object: "account.deleted", id, removed }
      })

    return { suspend, resume, remove } as const
  })
}) {}

const conflict = (message: string) => new Conflict({ code: null, message })
