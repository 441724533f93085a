import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { recordedAt } from "../contract/records/Trace.ts"
import type { TaskHold } from "../ledger/DurableHolds.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { fromUsd } from "../ledger/Price.ts"
import { orStoreFailure } from "../tasks/StoreFailure.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { batchKindName, batchLane } from "./BatchKind.ts"
import { BatchStore } from "./store/BatchStore.ts"
import type { NewBatch } from "./store/BatchStore.ts"
import type { BatchRow } from "./store/BatchRow.ts"

interface Filling {
  readonly batch: NewBatch & { readonly caller: Caller }
  readonly request: Incoming
  /** Stores the lines, and returns their number; `later` if the task does. */
  readonly fill: Effect.Effect<number | "later", Failure>
  /** The batch as it is answered. */
  readonly shown: (row: BatchRow) => object
}

/**
 * Makes a function that stores a batch: its lines first, then, in one transaction, the task that they are and the answer. A
 * batch that is refused on the way leaves nothing.
 */
export const makeBeginBatch = Effect.gen(function* () {
  const batches = yield* BatchStore
  const tasks = yield* TaskStore
  const ledger = yield* Ledger

  return Effect.fnUntraced(function* ({ batch, fill, request, shown }: Filling): Effect.fn.Return<BatchRow, Failure> {
    const { caller, createdAtMs, id } = batch
    yield* Effect.orDie(batches.add(batch))
    const begun = Effect.gen(function* () {
      const total = yield* fill
      const row = rowOf(batch, total)
      const answered = request.once?.keep(shown(row)) ?? Effect.void
      yield* ledger
        .holding(countedTask(id, caller, request.id), (hold) =>
          tasks.insert(
            {
              id,
              kind: batchKindName,
              account: caller.account,
              key: caller.key,
              model: anyModel,
              lane: batchLane,
              details: {},
              request: {},
              requestId: request.id,
              trace: recordedAt(request.trace),
              createdAtMs
            },
            orStoreFailure(Effect.zipRight(answered, hold)),
            orStoreFailure(batches.begin(id, total))
          )
        )
        .pipe(Effect.catchTag("StoreFailure", Effect.die))
      if (request.record !== undefined) request.record.task = id
      return row
    })
    return yield* Effect.onError(begun, () => Effect.ignore(batches.hide(id)))
  })
})

/** The models are those of the lines. */
const anyModel = "*"

/** Counts the batch as one task. Its money is held line by line, and budgets count its lines. */
const countedTask = (id: string, caller: Caller, requestId: string): TaskHold => ({
  id,
  caller,
  requestId,
  model: anyModel,
  upstream: "",
  price: fromUsd({}),
  mostNanoUsd: () => 0,
  mostTokens: () => 0,
  labels: { isFurther: true }
})

const rowOf = (
  { caller, createdAtMs, details, endpoint, expiresAtMs, id }: NewBatch,
  total: number | "later"
): BatchRow => ({
  id,
  account_id: caller.account,
  key_id: caller.key,
  endpoint,
  state: total === "later" ? "validating" : "running",
  total: total === "later" ? 0 : total,
  succeeded: 0,
  errored: 0,
  canceled: 0,
  expired: 0,
  cost_nano_usd: 0,
  stop: null,
  details,
  created_at: createdAtMs,
  expires_at: expiresAtMs,
  cancel_at: null,
  ended_at: null
})
