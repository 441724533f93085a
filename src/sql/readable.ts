import { Effect, Either } from "effect"
import type { Rows, UndecodableRow } from "./decode.ts"

/**
 * The rows that can be read. Of an unreadable row, only its id and the column are logged, because its values may come
 * from a caller.
 *
 * @param noun the noun for a row, and the name of its id in the log
 */
export const readable = <A>(
  rows: Rows<A>,
  noun: string,
  all: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<A>> => {
  const found: Array<A> = []
  const broken: Array<Effect.Effect<void>> = []
  for (const row of all) {
    const one = rows.either(row)
    if (Either.isRight(one)) found.push(one.right)
    else broken.push(complaint(noun, row, one.left))
  }
  return broken.length === 0 ? Effect.succeed(found) : Effect.as(Effect.all(broken, { discard: true }), found)
}

const complaint = (noun: string, row: unknown, { column, expected }: UndecodableRow) => {
  const id = typeof row === "object" && row !== null && "id" in row ? String(row.id) : ""
  return Effect.annotateLogs(Effect.logError(`a ${noun} can't be read`), { [noun]: id, column, expected })
}
