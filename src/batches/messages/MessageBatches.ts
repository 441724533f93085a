import { Clock, Effect } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import type { Caller, Holder } from "../../contract/callers/Caller.ts"
import { InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { randomHex } from "../../contract/text/randomHex.ts"
import { canceled } from "../BatchKind.ts"
import { makeBeginBatch } from "../beginBatch.ts"
import { keptHeaders } from "../keptHeaders.ts"
import { makeStoreLines } from "../storeLines.ts"
import { BatchStore } from "../store/BatchStore.ts"
import type { BatchRow } from "../store/BatchRow.ts"
import type { ListBatches, MessageBatch } from "./Api.ts"
import { eachLine } from "./eachLine.ts"
import { messageBatch } from "./messageBatch.ts"

/** Ids of batches of messages begin so. */
const prefix = "msgbatch_"
const endpoint = "/v1/messages"
const lifeMs = 86_400_000

/** Anthropic's batches of messages. */
export const makeMessageBatches = Effect.gen(function* () {
  const batches = yield* BatchStore
  const publicUrl = yield* PublicUrl
  const begin = yield* makeBeginBatch
  const storeLines = yield* makeStoreLines

  const shown = (row: BatchRow): Effect.Effect<MessageBatch> =>
    Effect.map(publicUrl.get, (url) => messageBatch(row, url))

  const create = Effect.fnUntraced(function* (
    caller: Caller,
    request: Incoming
  ): Effect.fn.Return<MessageBatch, Failure> {
    const createdAtMs = yield* Clock.currentTimeMillis
    const id = `${prefix}${createdAtMs.toString(36)}${randomHex()}`
    const { add, count, flush } = storeLines(id)
    const url = yield* publicUrl.get
    const row = yield* begin({
      batch: {
        id,
        caller,
        endpoint,
        details: { headers: keptHeaders(request.headers) },
        createdAtMs,
        expiresAtMs: createdAtMs + lifeMs
      },
      request,
      fill: eachLine(request, (line) => Effect.orDie(add(line))).pipe(
        Effect.zipRight(Effect.orDie(flush)),
        Effect.map(count)
      ),
      shown: (row) => messageBatch(row, url)
    })
    return messageBatch(row, url)
  })

  const row = (holder: Holder, id: string): Effect.Effect<BatchRow | undefined> =>
    id.startsWith(prefix) ? Effect.orDie(batches.find(holder, id)) : Effect.succeed(undefined)

  const find = (holder: Holder, id: string): Effect.Effect<BatchRow, NotFound> =>
    Effect.flatMap(row(holder, id), (found) =>
      found === undefined
        ? new NotFound({ param: null, message: `No batch with the id ${shortened(id)}` })
        : Effect.succeed(found)
    )

  const ended = Effect.fnUntraced(function* (holder: Holder, id: string, rule: string) {
    const found = yield* find(holder, id)
    if (found.state === "ended") return found
    return yield* new InvalidRequest({ param: null, message: `The batch has not ended: ${rule}` })
  })

  const cancel = Effect.fnUntraced(function* (holder: Holder, id: string) {
    const before = yield* find(holder, id)
    if (before.state === "ended") {
      return yield* new InvalidRequest({ param: null, message: "The batch has ended and can't be canceled" })
    }
    yield* Effect.orDie(batches.stop(id, canceled, yield* Clock.currentTimeMillis))
    return yield* Effect.flatMap(find(holder, id), shown)
  })

  const remove = Effect.fnUntraced(function* (holder: Holder, id: string) {
    yield* ended(holder, id, "cancel it before you delete it")
    yield* Effect.orDie(batches.hide(id))
    return { id, type: "message_batch_deleted" as const }
  })

  const cursor = (holder: Holder, param: string, id: string | undefined) =>
    id === undefined
      ? Effect.succeed(undefined)
      : Effect.mapError(
          find(holder, id),
          () => new InvalidRequest({ param, message: `${param}: no batch has the id ${shortened(id)}` })
        )

  const list = Effect.fnUntraced(function* (holder: Holder, { after_id, before_id, limit = 20 }: ListBatches) {
    if (after_id !== undefined && before_id !== undefined) {
      const message = "before_id: can't be sent together with after_id"
      return yield* new InvalidRequest({ param: "before_id", message })
    }
    const page = {
      prefix,
      limit: limit + 1,
      after: yield* cursor(holder, "after_id", after_id),
      before: yield* cursor(holder, "before_id", before_id)
    }
    const found = yield* Effect.orDie(batches.list(holder, page))
    const some = found.slice(0, limit)
    const data = yield* Effect.forEach(before_id === undefined ? some : some.toReversed(), shown)
    const [first_id, last_id] = [data.at(0)?.id ?? null, data.at(-1)?.id ?? null]
    return { data, first_id, last_id, has_more: found.length > limit }
  })

  const results = (holder: Holder, id: string) => ended(holder, id, "its results come when it has")

  return {
    create,
    cancel,
    remove,
    list,
    results,
    find: (holder: Holder, id: string) => Effect.flatMap(find(holder, id), shown)
  } as const
})

const shortened = (id: string): string => JSON.stringify(id.slice(0, 100))
