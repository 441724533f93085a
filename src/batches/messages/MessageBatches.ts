import { Clock, Effect } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import type { Caller, Holder } from "../../contract/callers/Caller.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { canceled } from "../BatchKind.ts"
import { makeBeginBatch } from "../beginBatch.ts"
import { keptHeaders } from "../keptHeaders.ts"
import { tokenLimitsOf } from "../lineCaller.ts"
import { makeBatchLists } from "../makeBatchLists.ts"
import { makeStoreLines } from "../storeLines.ts"
import { BatchStore } from "../store/BatchStore.ts"
import type { BatchRow } from "../store/BatchRow.ts"
import type { ListBatches, MessageBatch } from "./Api.ts"
import { eachLine } from "./eachLine.ts"
import { messageBatch } from "./messageBatch.ts"

/** Ids of batches of messages begin so. */
const prefix = "msgbatch_"
const endpoint = "/v1/messages"

/** Anthropic's batches of messages. */
export const makeMessageBatches = Effect.gen(function* () {
  const batches = yield* BatchStore
  const publicUrl = yield* PublicUrl
  const begin = yield* makeBeginBatch
  const storeLines = yield* makeStoreLines
  const { find, newBatch, page } = yield* makeBatchLists(prefix)

  const shown = (row: BatchRow): Effect.Effect<MessageBatch> =>
    Effect.map(publicUrl.get, (url) => messageBatch(row, url))

  const create = Effect.fnUntraced(function* (
    caller: Caller,
    request: Incoming
  ): Effect.fn.Return<MessageBatch, Failure> {
    const batch = yield* newBatch(caller, endpoint, {
      headers: keptHeaders(request.headers),
      tokenLimits: tokenLimitsOf(caller)
    })
    const { add, count, flush } = storeLines(batch.id)
    const url = yield* publicUrl.get
    const row = yield* begin({
      batch,
      request,
      fill: eachLine(request, (line) => Effect.orDie(add(line))).pipe(
        Effect.zipRight(Effect.orDie(flush)),
        Effect.map(count)
      ),
      shown: (row) => messageBatch(row, url)
    })
    return messageBatch(row, url)
  })

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

  const list = (holder: Holder, { after_id: after, before_id: before, limit = 20 }: ListBatches) =>
    Effect.gen(function* () {
      const { rows, ...rest } = yield* page(holder, { limit, after, before, cursors: ["after_id", "before_id"] })
      return { data: yield* Effect.forEach(rows, shown), ...rest }
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
