import { Effect, Exit, Option } from "effect"
import { reachesKey } from "../contract/callers/Caller.ts"
import type { Holder } from "../contract/callers/Caller.ts"
import type { NotFound } from "../contract/failures/Failure.ts"
import { writtenAs } from "../contract/records/Written.ts"
import type { TaskStorage } from "./TaskStorage.ts"
import type { Task } from "./Task.ts"

/**
 * Reads tasks of a kind as their owners see them. If the store returns the same finished effect for an unchanged task,
 * its rendered form is reused, without a fiber.
 */
export const makeTaskReader = <A extends object>(
  store: Pick<TaskStorage, "read">,
  kind: string,
  render: (task: Task) => A,
  missing: (id: string) => NotFound
): ((holder: Holder, id: string) => Effect.Effect<A, NotFound>) => {
  const rendered = new WeakMap<object, Exit.Exit<A>>()
  return (holder, id) => {
    const found = store.read(holder.account, kind, id)
    const known = holder.person === undefined ? rendered.get(found) : undefined
    if (known !== undefined) return known
    return Effect.flatMap(Effect.orDie(found), (task): Effect.Effect<A, NotFound> => {
      if (Option.isNone(task) || !reachesKey(holder, task.value.key)) return Effect.fail(missing(id))
      const value = render(task.value)
      const success = Exit.succeed(writtenAs(value, JSON.stringify(value)))
      if (Exit.isExit(found)) rendered.set(found, success)
      return success
    })
  }
}
