import { Clock, Duration, Effect } from "effect"
import type { SqlError } from "@effect/sql/SqlError"
import { Access } from "../access/Access.ts"
import { Settings } from "../config/Settings.ts"
import { Unavailable } from "../contract/failures/Failure.ts"
import type { AuthInvalid, Failure } from "../contract/failures/Failure.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { orStoreFailure } from "../tasks/StoreFailure.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import { isTerminal } from "../tasks/Task.ts"
import type { Cancelled, Task } from "../tasks/Task.ts"
import type { Lease, TaskKind, TaskTurn } from "../tasks/TaskKind.ts"
import { makeLineFamilies } from "./lineFamilies.ts"
import { makeBatchFiles } from "./openai/makeFiles.ts"
import { detailsOf, isOfFiles } from "./openai/openAIBatch.ts"
import { BatchStore } from "./store/BatchStore.ts"
import { LineStore } from "./store/LineStore.ts"
import { openLines } from "./store/BatchRow.ts"
import type { BatchRow, Stop } from "./store/BatchRow.ts"

export const batchKindName = "batch"
export const batchLane = `${batchKindName}:all`

/** Turns at a time: each only looks at its batch. */
const parallel = 50
/** Waiting lines that are ended in one transaction. */
const endedAtOnce = 1_000
/** The time between two looks at a batch, in ms: a twentieth of its age. */
const look = { least: 100, most: 2_000 } as const
/** How long an operator's answer waits for lines that run: so many looks of 100 ms. */
const stopLooks = 100

/** The time between two tries to store a batch's files, and how long it is tried after the time for its lines, in ms. */
const [filesAgainMs, filesForMs] = [30_000, 86_400_000] as const

export const canceled: Stop = { outcome: "canceled", status: null, result: null }
const expired: Stop = { outcome: "expired", status: null, result: null }

/**
 * Batches as tasks. A turn looks whether the batch goes on: it stops when it expires, is cancelled, or its key would be
 * refused. `LineRunner` runs the lines, on every node.
 */
export const makeBatchKind = Effect.gen(function* () {
  const access = yield* Access
  const ledger = yield* Ledger
  const batches = yield* BatchStore
  const lines = yield* LineStore
  const families = yield* makeLineFamilies
  const files = yield* makeBatchFiles
  const keptMs = Duration.toMillis((yield* Settings).retention.batches)

  const refusedBy = (batch: BatchRow, failure: AuthInvalid): Stop => {
    const { body, status } = families[batch.endpoint]?.refusal(failure) ?? { status: 401, body: {} }
    return { outcome: "errored", status, result: JSON.stringify(body) }
  }

  /** The reason that no further line begins. */
  const reasonOf = Effect.fnUntraced(function* (batch: BatchRow) {
    if (batch.stop !== null) return batch.stop
    if ((yield* Clock.currentTimeMillis) >= batch.expires_at) return expired
    return yield* access.ofKey(batch.key_id).pipe(
      Effect.as(undefined),
      Effect.catchTags({
        AuthInvalid: (failure) => Effect.succeed(refusedBy(batch, failure)),
        Unavailable: () => Effect.succeed(undefined)
      }),
      Effect.catchAllDefect(() => Effect.succeed(undefined))
    )
  })

  /** Ends waiting lines; true if more are left. */
  const endSome = (id: string, reason: Stop): Effect.Effect<boolean, SqlError> =>
    Effect.map(lines.endWaiting(id, reason, endedAtOnce), (ended) => ended === endedAtOnce)

  const run = Effect.fnUntraced(function* (lease: Lease) {
    const { id, state } = lease.task
    const batch = yield* orStoreFailure(batches.get(id))
    if (batch === undefined) return failed("the batch is gone")
    if (state === "queued") yield* lease.write({ state: "running" })
    const reason = yield* reasonOf(batch)
    if (batch.state === "validating" && reason === undefined) return yield* filled(batch)
    if (reason !== undefined) {
      if (batch.stop === null) yield* orStoreFailure(batches.stop(id, reason))
      if (yield* orStoreFailure(endSome(id, reason))) return again(0)
    } else batches.bell.ring()
    const now = (yield* orStoreFailure(batches.get(id))) ?? batch
    if (openLines(now) === 0) return (yield* hasFiles(now)) ? over(now) : again(filesAgainMs)
    const ageMs = (yield* Clock.currentTimeMillis) - batch.created_at
    return again(Math.round(Math.min(look.most, Math.max(look.least, ageMs / 20))))
  })

  /** Stores the lines of a batch's file, or ends the batch for the mistakes in it. */
  const filled = Effect.fnUntraced(function* (batch: BatchRow): Effect.fn.Return<TaskTurn, StoreFailure> {
    const looked = yield* Effect.either(untroubled(files.validate(batch)))
    if (looked._tag === "Left") return yield* postponed(batch, looked.left)
    const found = looked.right
    const details = detailsOf(batch)
    if (typeof found === "number") {
      const startedAtMs = yield* Clock.currentTimeMillis
      yield* orStoreFailure(batches.start(batch.id, found, { ...details, startedAtMs }))
      batches.bell.ring()
      return again(0)
    }
    yield* orStoreFailure(batches.setDetails(batch.id, { ...details, errors: found }))
    yield* orStoreFailure(lines.removeFilled(batch.id))
    return failed(found[0]?.message ?? "the input file has mistakes", "invalid_file")
  })

  /** Tells why a batch's files wait. */
  const postponed = (batch: BatchRow, failure: Failure | StoreFailure): Effect.Effect<TaskTurn, StoreFailure> =>
    failure._tag === "StoreFailure"
      ? Effect.fail(failure)
      : Effect.logWarning("a batch's files could not be read or stored", failure.message).pipe(
          Effect.annotateLogs({ batch: batch.id }),
          Effect.as(again(filesAgainMs))
        )

  /** Writes the files of a batch that has them. False if they can't be stored for now. */
  const hasFiles = Effect.fnUntraced(function* (batch: BatchRow): Effect.fn.Return<boolean, StoreFailure> {
    if (!isOfFiles(batch)) return true
    // Lines of a file that was not looked at to its end.
    yield* orStoreFailure(lines.removeFilled(batch.id))
    const key = { account: batch.account_id, key: batch.key_id }
    const owner = yield* Effect.orElseSucceed(access.ofKey(batch.key_id), () => key)
    const written = yield* Effect.either(untroubled(files.finalize(batch, owner)))
    if (written._tag === "Right") return true
    yield* postponed(batch, written.left)
    return (yield* Clock.currentTimeMillis) > batch.expires_at + filesForMs
  })

  /** Lets no further line begin. The batch's turns end it once those that run have ended, which is waited for a while. */
  const stop = ({ id }: Task): Effect.Effect<Cancelled | undefined> =>
    Effect.gen(function* () {
      yield* batches.stop(id, canceled, yield* Clock.currentTimeMillis)
      for (let looks = 0; looks < stopLooks; looks++) {
        const batch = yield* batches.get(id)
        if (batch === undefined) return undefined
        if (batch.state === "ended") return batch.stop?.outcome === "canceled" ? "cancelled" : "ended"
        yield* Effect.sleep("100 millis")
      }
      return "cancelled" as const
    }).pipe(Effect.orDie)

  const ended = Effect.fnUntraced(function* (id: string): Effect.fn.Return<number, SqlError> {
    yield* ledger.endHold(id, undefined)
    const batch = yield* batches.end(id, yield* Clock.currentTimeMillis, keptMs)
    return batch?.cost_nano_usd ?? 0
  })

  const kind: TaskKind = {
    name: batchKindName,
    parallel,
    run,
    record: ({ id, state }) => ({ id, object: "batch", state }),
    changed: ({ id, state }) => (isTerminal(state) ? orStoreFailure(ended(id)) : Effect.succeed(0)),
    stop,
    gaveUp: (reason) => ({ code: "server_error", message: `Internal error: ${reason}` })
  }
  return kind
})

/** The database or the file storage may go away in the middle. That must not end a batch. */
const untroubled = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | Unavailable> =>
  Effect.catchAllDefect(work, (defect) => new Unavailable({ message: String(defect) }))

const again = (againInMs: number): TaskTurn => ({ patch: {}, againInMs })

const over = ({ stop }: BatchRow): TaskTurn => ({
  patch: stop?.outcome === "canceled" ? { state: "cancelled" } : { state: "succeeded", result: {} },
  againInMs: 0
})

const failed = (message: string, code = "server_error"): TaskTurn => ({
  patch: { state: "failed", error: { code, message } },
  againInMs: 0
})
