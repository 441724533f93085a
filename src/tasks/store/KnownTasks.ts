import { Effect, Exit, Option } from "effect"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { isJsonObject } from "../../contract/fields.ts"
import { NamedSlots } from "../../flow/NamedSlots.ts"
import type { Task } from "../Task.ts"

/** The most cached tasks, and the longest row in characters: some ten megabytes in total. */
const mostTasks = 4_096
const maxLength = 4_096

interface TaskKey {
  readonly account: AccountId
  readonly kind: string
  readonly id: string
}

interface KnownTask {
  readonly task: Task
  readonly found: Exit.Exit<Option.Option<Task>>
}

/**
 * Caches the tasks that were read last, until they change: polling callers mostly find their task unchanged. Only for a
 * store whose changes are all made by this process, as with SQLite.
 */
export const makeKnownTasks = () => {
  const known = new NamedSlots<KnownTask>()
  /** The number of changes that have begun: a row read before a change is not cached after it. */
  let begun = 0

  const changing = (id: string): void => {
    begun++
    known.delete(id)
  }

  const keep = (task: Task): void => {
    if (known.size >= mostTasks) known.delete(known.oldest ?? "")
    known.set(task.id, { task, found: Exit.succeed(Option.some(task)) })
  }

  /** A cached task, as the same finished effect each time; undefined if it must be read. */
  const find = ({ account, id, kind }: TaskKey): Exit.Exit<Option.Option<Task>> | undefined => {
    const one = known.get(id)
    return one?.task.account === account && one.task.kind === kind ? one.found : undefined
  }

  /** Reads a task, and caches it if its row is short and nothing has changed meanwhile. */
  const remember = <E>(
    read: Effect.Effect<ReadonlyArray<unknown>, E>,
    decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<Option.Option<Task>>
  ): Effect.Effect<Option.Option<Task>, E> =>
    Effect.suspend(() => {
      const before = begun
      return Effect.flatMap(read, (rows) =>
        Effect.map(decode(rows), (found) => {
          if (Option.isSome(found) && before === begun && isShort(rows[0])) keep(found.value)
          return found
        })
      )
    })

  return { changing, find, remember } as const
}

const isShort = (row: unknown): boolean =>
  isJsonObject(row) && lengthOf(row["details"]) + lengthOf(row["result"]) < maxLength

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0)
