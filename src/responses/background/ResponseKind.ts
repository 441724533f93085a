import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { codedError } from "../../contract/failures/codedErrors.ts"
import { Internal } from "../../contract/failures/Failure.ts"
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
import { interrupted } from "./generate.ts"
import type { CutShort } from "./cutShort.ts"
import { cancelledResponse, endingOf } from "./ending.ts"
import { lastOfLifecycle, lifecycle } from "./lifecycle.ts"
import { isJournaled, makeRemoveJournal } from "../../tasks/journal/journalOf.ts"
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
 * events of it that a second answer would not continue. One that calls tools of servers begins with the rounds of its
 * journal, whose events are the same again.
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
  const removeJournal = yield* makeRemoveJournal
  const stops = makeStops()
  const outcomes = new NamedSlots<Outcome>()

  const run = Effect.fnUntraced(function* (lease: Lease): Effect.fn.Return<TaskTurn, LeaseLost | StoreFailure> {
    const { task } = lease
    const found = yield* Effect.option(store.find(task, task.id, false))
    if (found._tag === "None") return failedTurn(gone)
    const lastSent = isStreamed(task) ? ((yield* orStoreFailure(events.last(task.id))) ?? -1) : lastOfLifecycle
    const isBegun = lastSent > lastOfLifecycle
    if (isBegun && !isJournaled(task)) return failedTurn(interrupted)
    const stored = isBegun ? yield* orStoreFailure(events.all(task.id, lastOfLifecycle)) : []
    yield* lease.write({ state: "running" })
    const begun = { ...found.value.response, status: "in_progress" as const }
    if (lastSent < lastOfLifecycle) yield* tell(lease, lifecycle(begun).slice(lastSent + 1))
    return yield* stops.stoppable(task.id, (isStopped) =>
      generated(lease, found.value, new Transcript(stored), isStopped)
    )
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

  const generated = Effect.fnUntraced(function* (
    lease: Lease,
    found: StoredResponse,
    transcript: Transcript,
    isStopped: () => boolean
  ) {
    const { id } = lease.task
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
          if (!isStopped() || !transcript.continues()) return
          const output = transcript.items()
          const response = cancelledResponse(found.response, output)
          transcript.take(endingOf(response))
          outcomes.set(id, { state: "cancelled", response, output, transcript })
        })
      )
    )
    if (failure !== undefined && mayRepeat(lease.task, transcript)) {
      const turn = yield* waitOut(lease.task, failure, failedTurn(failure))
      if (turn.patch.state === undefined) return turn
    }
    // Without an outcome it ends with what its readers have.
    if (failure !== undefined && !transcript.continues()) return failedTurn(failure)
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
    yield* removeJournal(task)
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

/** True if another run gives its readers no other events: they have none, or it begins with the same. */
const mayRepeat = (task: Task, transcript: Transcript): boolean => {
  const last = transcript.items().at(-1)
  return (
    last === undefined ||
    (isJournaled(task) && (!isStreamed(task) || (last.type === "mcp_call" && last.status !== "incomplete")))
  )
}

const failedTurn = (failure: Failure): TaskTurn => {
  const { code, message } = codedError(failure)
  return { patch: { state: "failed", error: { code, message } }, againInMs: 0 }
}

const gone = new Internal({ message: "The response is gone" })
