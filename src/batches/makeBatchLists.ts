import { Clock, Effect } from "effect"
import type { Caller, Holder } from "../contract/callers/Caller.ts"
import { InvalidRequest, NotFound } from "../contract/failures/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import { BatchStore } from "./store/BatchStore.ts"
import type { BatchRow } from "./store/BatchRow.ts"

/** The time in which lines may begin. */
const lifeMs = 86_400_000

interface Page {
  readonly limit: number
  readonly after?: string | undefined
  readonly before?: string | undefined
  /** The names of both in the dialect. */
  readonly cursors: readonly [after: string, before: string]
}

/** Makes, finds and lists the batches of a dialect, whose ids begin with a prefix. */
export const makeBatchLists = (prefix: string) =>
  Effect.map(BatchStore, (batches) => {
    const newBatch = (caller: Caller, endpoint: string, details: JsonObject) =>
      Effect.map(Clock.currentTimeMillis, (createdAtMs) => ({
        id: `${prefix}${createdAtMs.toString(36)}${randomHex()}`,
        caller,
        endpoint,
        details,
        createdAtMs,
        expiresAtMs: createdAtMs + lifeMs
      }))

    const row = (holder: Holder, id: string): Effect.Effect<BatchRow | undefined> =>
      id.startsWith(prefix) ? Effect.orDie(batches.find(holder, id)) : Effect.succeed(undefined)

    const find = (holder: Holder, id: string): Effect.Effect<BatchRow, NotFound> =>
      Effect.flatMap(row(holder, id), (found) =>
        found === undefined
          ? new NotFound({ param: null, message: `No batch with the id ${shortened(id)}` })
          : Effect.succeed(found)
      )

    const cursor = (holder: Holder, param: string, id: string | undefined) =>
      id === undefined
        ? Effect.succeed(undefined)
        : Effect.mapError(
            find(holder, id),
            () => new InvalidRequest({ param, message: `${param}: no batch has the id ${shortened(id)}` })
          )

    const page = Effect.fnUntraced(function* (holder: Holder, { after, before, cursors, limit }: Page) {
      const [afterName, beforeName] = cursors
      if (after !== undefined && before !== undefined) {
        const message = `${beforeName}: can't be sent together with ${afterName}`
        return yield* new InvalidRequest({ param: beforeName, message })
      }
      const found = yield* Effect.orDie(
        batches.list(holder, {
          prefix,
          limit: limit + 1,
          after: yield* cursor(holder, afterName, after),
          before: yield* cursor(holder, beforeName, before)
        })
      )
      const some = found.slice(0, limit)
      const rows = before === undefined ? some : some.toReversed()
      return {
        rows,
        first_id: rows.at(0)?.id ?? null,
        last_id: rows.at(-1)?.id ?? null,
        has_more: found.length > limit
      }
    })

    return { newBatch, find, page } as const
  })

const shortened = (id: string): string => JSON.stringify(id.slice(0, 100))
