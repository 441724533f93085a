import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { codedError } from "../../contract/failures/codedErrors.ts"
import { Internal, UpstreamFailed } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import { NamedSlots } from "../../flow/NamedSlots.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import type { Pipeline } from "../../pipeline/Pipeline.ts"
import { orStoreFailure } from "../../tasks/StoreFailure.ts"
import type { StoreFailure } from "../../tasks/StoreFailure.ts"
import { isTerminal } from "../../tasks/Task.ts"
import type { Task, TaskState } from "../../tasks/Task.ts"
import type { Lease, LeaseLost, TaskKind, TaskTurn } from "../../tasks/TaskKind.ts"
import { UnitOfWork } from "../../tasks/UnitOfWork.ts"
import { waitOut } from "../../tasks/waitOut.ts"
import type { ResponseFrame } from "../encoding.ts"
import { ResponseEvents } from "../store/ResponseEvents.ts"
import { ResponseStore } from "../store/ResponseStore.ts"
import type { StoredResponse } from "../store/ResponseStore.ts"
import { makeAnswer } from "./answer.ts"
import { makeCutShort } from "./cutShort.ts"
import type { CutShort } from "./cutShort.ts"
import { cancelledResponse, endingOf } from "./ending.ts"
import { lastOfLifecycle, lifecycle } from "./lifecycle.ts"
import { makeStops } from "./stops.ts"
import { Transcript } from "./Transcript.ts"

export const responseKindName = "response"

/** The most background responses of one model at a time. Each takes a fiber; the others wait as rows. */
const parallel = 1_000

/** The lane of a model's background responses. */
export const responseLane = (model: string): string => `${responseKindName}:${model}`

/** The details of a response's task. */
export const detailsOf = (isStreamed: boolean) => ({ stream: isStreamed })

/** True if the response's events are stored for readers. */
const isStreamed = ({ details }: Task): boolean => details["stream"] === true

/** The outcome of a response until it is stored. */
interface Outcome extends Omit<CutShort, "frames"> {
  readonly state: TaskState
  readonly transcript: Transcript
}

/**
 * Background responses. One run is the whole generation. After a crash it starts again, unless readers already have
 * events of it, because a second answer would not continue the first.
 */
export const makeResponseKind: Effect.Effect<
  TaskKind,
  never,
  Pipeline | Ledger | UnitOfWork | ResponseStore | ResponseEvents
> = Effect.gen(function* () {
  const ledger = yield* Ledger
  const unit = yield* UnitOfWork
  const store = yield* ResponseStore
  const events = yield* ResponseEvents
  const answer = yield* makeAnswer
  const cutShort = yield* makeCutShort
  const stops = makeStops()
  const outcomes = new NamedSlots<Outcome>()

  const run = Effect.fnUntraced(function* (lease: Lease): Effect.fn.Return<TaskTurn, LeaseLost | StoreFailure> {
    const { task } = lease
    const found = yield* Effect.option(store.find(task, task.id, false))
    if (found._tag === "None") return failedTurn(gone)
    const lastSent = isStreamed(task) ? ((yield* orStoreFailure(events.last(task.id))) ?? -1) : lastOfLifecycle
    if (lastSent > lastOfLifecycle) return failedTurn(interrupted)
    yield* lease.write({ state: "running" })
    const begun = { ...found.value.response, status: "in_progress" as const }
    if (lastSent < lastOfLifecycle) yield* tell(lease, lifecycle(begun).slice(lastSent + 1))
    return yield* stops.stoppable(task.id, (isStopped) => generated(lease, found.value, isStopped))
  })

  /**
   * Stores events while this process holds the lease. A write that has begun is awaited, so that no event is stored
   * twice.
   */
  const tell = (lease: Lease, frames: ReadonlyArray<ResponseFrame>): Effect.Effect<void, LeaseLost | StoreFailure> =>
    unit.commit(Effect.zipRight(lease.held, events.append(lease.task.id, frames))).pipe(
      Effect.map(() => events.notify(lease.task.id)),
      Effect.uninterruptible
    )

  const generated = Effect.fnUntraced(function* (lease: Lease, found: StoredResponse, isStopped: () => boolean) {
    const { id } = lease.task
    const transcript = new Transcript()
    const flush = Effect.suspend(() => {
      const frames = transcript.unsaved()
      transcript.saved()
      return tell(lease, frames)
    })
    const { failure, output, response } = yield* answer(
      lease,
      found,
      transcript,
      isStreamed(lease.task) ? flush : undefined
    ).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          if (!isStopped()) return
          const output = transcript.items()
          const response = cancelledResponse(found.response, output)
          transcript.take(endingOf(response))
          outcomes.set(id, { state: "cancelled", response, output, transcript })
        })
      )
    )
    if (failure !== undefined && transcript.items().length === 0) {
      // No reader has events of it, so it can be repeated.
      const turn = yield* waitOut(lease.task, failure, failedTurn(failure))
      if (turn.patch.state === undefined) return turn
    }
    const state = failure === undefined ? "succeeded" : "failed"
    outcomes.set(id, { state, response, output, transcript })
    return failure === undefined
      ? { patch: { state: "succeeded", result: { status: response.status } } as const, againInMs: 0 }
      : failedTurn(failure)
  })

  const ended = Effect.fnUntraced(function* (task: Task): Effect.fn.Return<number, SqlError> {
    const { id, state } = task
    const outcome = outcomes.get(id)
    const isOurs = outcome?.state === state
    const end = isOurs ? { ...outcome, frames: outcome.transcript.unsaved() } : yield* cutShort(task)
    if (end !== undefined) {
      yield* store.ended(task.account, end)
      if (isStreamed(task)) yield* events.append(id, end.frames)
    }
    // A cancelled answer is charged for what was generated, like one whose client disconnects.
    const nanoUsd = yield* ledger.endHold(id, isOurs && state !== "failed" ? ledger.generatedBy(id) : undefined)
    yield* unit.afterCommit(() => {
      outcomes.delete(id)
      events.notify(id)
    })
    return nanoUsd
  })

  return {
    name: responseKindName,
    parallel,
    run,
    record: ({ id, state }) => ({ id, object: "response", state }),
    changed: (task) => orStoreFailure(isTerminal(task.state) ? ended(task) : Effect.as(store.began(task.id), 0)),
    removed: (ids) => orStoreFailure(events.remove(ids)),
    stop: ({ id }) => Effect.as(stops.stop(id), undefined),
    gaveUp: (reason) => ({ code: "server_error", message: `Internal error: ${reason}` })
  }
})

const failedTurn = (failure: Failure): TaskTurn => {
  const { code, message } = codedError(failure)
  return { patch: { state: "failed", error: { code, message } }, againInMs: 0 }
}

const gone = new Internal({ message: "The response is gone" })

const interrupted = new UpstreamFailed({
  message: "The gateway was stopped while it wrote this response; its output is what there was until then"
})
