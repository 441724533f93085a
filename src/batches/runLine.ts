import { Clock, Data, Effect, Either, Random } from "effect"
import { Access } from "../access/Access.ts"
import { Internal, Unavailable } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import { recordedAt } from "../contract/records/Trace.ts"
import { RequestRecord } from "../contract/records/RequestRecord.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import { holdOf } from "../dispatch/holdOf.ts"
import { backoff } from "../flow/schedules.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { partHold } from "../ledger/partHold.ts"
import { countRequest } from "../limits/countRequest.ts"
import { Limits } from "../limits/Limits.ts"
import { maxAttempts } from "../tasks/maxAttempts.ts"
import { RequestSeal } from "../tasks/RequestSeal.ts"
import { orStoreFailure } from "../tasks/StoreFailure.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import { incomingOf, storedRequest } from "../tasks/StoredRequest.ts"
import { UnitOfWork } from "../tasks/UnitOfWork.ts"
import { ContentsLog } from "../telemetry/ContentsLog.ts"
import { makeRequestEnded } from "../telemetry/requestEnded.ts"
import { CurrentTracing } from "../telemetry/tracing/Tracing.ts"
import { headersOf } from "./keptHeaders.ts"
import { lineCaller } from "./lineCaller.ts"
import { makeLineFamilies } from "./lineFamilies.ts"
import type { LineFamily } from "./lineFamilies.ts"
import { BatchStore } from "./store/BatchStore.ts"
import { LineStore } from "./store/LineStore.ts"
import type { BatchRow, HeldLine } from "./store/BatchRow.ts"
import type { LineOutcome } from "./Lane.ts"
import { waitAfter } from "./waitAfter.ts"

/** The batch was stopped, or another node has the line, before it began. */
class NotBegun extends Data.TaggedError("NotBegun") {}

/** The batch has ended while a line ran. */
class TooLate extends Data.TaggedError("TooLate") {}

interface Answer {
  readonly status: number
  /** JSON. */
  readonly result: string
}

/** The id of a line's hold and of its sealed request. */
const idOf = ({ batch_id, place }: HeldLine): string => partHold(batch_id, place)

/** Runs lines of batches: each as a request with its body, at its key's permissions and limits of that moment. */
export const makeRunLine = Effect.gen(function* () {
  const access = yield* Access
  const limits = yield* Limits
  const ledger = yield* Ledger
  const { open } = yield* RequestSeal
  const unit = yield* UnitOfWork
  const batches = yield* BatchStore
  const lines = yield* LineStore
  const families = yield* makeLineFamilies
  const ended = yield* makeRequestEnded
  const contents = yield* ContentsLog
  const tracing = yield* CurrentTracing

  /** The line's answer, for money that is held under its id. */
  const answered = Effect.fnUntraced(function* (
    family: LineFamily,
    batch: BatchRow,
    line: HeldLine,
    record: RequestRecord
  ): Effect.fn.Return<string, Failure | NotBegun | StoreFailure> {
    if (line.attempts >= maxAttempts) return yield* givenUp
    const caller = lineCaller(yield* access.ofKey(batch.key_id), batch.details)
    yield* countRequest(limits, caller)
    const id = idOf(line)
    const sealed = yield* orStoreFailure(lines.requestOf(line))
    if (sealed === undefined) return yield* new NotBegun()
    const body = yield* open(id, sealed)
    const headers = headersOf(batch.details)
    const { requestId } = record
    const request = incomingOf({ requestId, caller, headers, body }, batch.endpoint, { record, trace: record.trace })
    record.opened(caller)
    record.describe(request.headers, isJsonObject(body) ? body : undefined)
    const opened = yield* family.open(caller, request)
    const hold = holdOf({ id, caller, requestId }, yield* opened.quote, record)
    const routes = yield* ledger
      .holding(hold, (row) =>
        unit.commit(
          Effect.gen(function* () {
            if (!(yield* lines.mayBegin(line))) return yield* new NotBegun()
            yield* row
            return storedRequest(caller, request, [], hold).routes
          })
        )
      )
      // Usage can't be stored for now, or the database is away: no upstream was asked.
      .pipe(
        Effect.catchTag("UpstreamFailed", ({ message }) => new Unavailable({ message })),
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(
            Effect.logWarning("the money of a batch's line can't be held", defect),
            new Unavailable({ message: "The gateway's database does not answer; try again later" })
          )
        )
      )
    const answer = yield* textOf(yield* opened.answer({ charge: ledger.chargeOf(id), routes }))
    contents.tell({ account: caller.account, record, trace: record.trace }, () => ({ request: body, answer }))
    return answer
  })

  /**
   * Stores the end of a line with its charge. The money is the line's for as long as this node has the line: if another
   * has it by now, nothing changes. An answer that came after the end of its batch was not delivered: it costs the operator.
   */
  const finish = (line: HeldLine, record: RequestRecord, answer: Answer): Effect.Effect<void, StoreFailure> =>
    Effect.catchTag(unit.commit(finishing(line, record, answer)), "TooLate", () =>
      unit.commit(
        Effect.gen(function* () {
          const canceled = {
            outcome: "canceled",
            status: answer.status,
            requestId: record.requestId,
            result: null
          } as const
          if (!(yield* lines.finish(line, canceled))) return
          const used = ledger.generatedBy(idOf(line))
          yield* ledger.endHold(idOf(line), used && { ...used, isUndelivered: true }, (settlement) =>
            record.settled(settlement)
          )
        })
      )
    )

  const finishing = Effect.fnUntraced(function* (line: HeldLine, record: RequestRecord, { result, status }: Answer) {
    const wasServed = status < 400
    const outcome = wasServed ? "succeeded" : "errored"
    if (!(yield* lines.finish(line, { outcome, status, requestId: record.requestId, result }))) return
    const used = wasServed ? ledger.generatedBy(idOf(line)) : undefined
    const cost = yield* ledger.endHold(idOf(line), used, (settlement) => record.settled(settlement))
    if (!(yield* lines.counted(line, outcome, cost))) return yield* new TooLate()
  })

  const giveBack = (line: HeldLine, nextAtMs: number, tries: number): Effect.Effect<void, StoreFailure> =>
    unit.commit(
      Effect.flatMap(lines.giveBack(line, { nextAtMs, tries }), (isOurs) =>
        isOurs ? ledger.endHold(idOf(line), undefined) : Effect.void
      )
    )

  /** Gives a line back that may be tried again; undefined if it ends. */
  const later = Effect.fnUntraced(function* (line: HeldLine, failure: Failure, record: RequestRecord) {
    const wait = waitAfter(failure, line, record, yield* Random.next)
    if (wait === undefined) return undefined
    const { attempts, delayMs, how } = wait
    const nowMs = yield* Clock.currentTimeMillis
    yield* kept(giveBack({ ...line, attempts }, nowMs + delayMs, line.tries + 1))
    return how
  })

  const runOnce = Effect.fnUntraced(function* (batch: BatchRow, line: HeldLine) {
    const family = families[batch.endpoint]
    if (family === undefined) return yield* Effect.dieMessage(`no lines for ${batch.endpoint}`)
    const begun = performance.now()
    const record = new RequestRecord(
      { requestId: `req_${randomHex()}`, method: "POST", path: batch.endpoint },
      { family: batch.endpoint.slice("/v1/".length), endpoint: batch.endpoint },
      begun,
      ended
    )
    // A trace of its own: that of the batch would have hundreds of thousands of spans.
    record.trace = tracing?.begin(new Headers())
    record.traceparent = recordedAt(record.trace) ?? undefined
    const answer = yield* Effect.either(answered(family, batch, line, record))
    if (Either.isRight(answer)) {
      yield* kept(finish(line, record, { status: 200, result: answer.right }))
      record.answered(200, performance.now() - begun)
      return "ended" as const
    }
    const failure = answer.left
    if (failure._tag === "NotBegun" || failure._tag === "StoreFailure") {
      yield* kept(giveBack(line, 0, line.tries))
      return "waits" as const
    }
    const { body, status } = family.refusal(failure)
    const result = JSON.stringify(body)
    if (failure._tag === "AuthInvalid") {
      yield* kept(orStoreFailure(batches.stop(batch.id, { outcome: "errored", status, result })))
      yield* kept(giveBack(line, 0, line.tries))
      return "waits" as const
    }
    // A guardrail that gives no verdict on an answer would have it made again for as long as it is down.
    const isMade = ledger.generatedBy(idOf(line)) !== undefined
    const waits = isMade ? undefined : yield* later(line, failure, record)
    if (waits !== undefined) return waits
    yield* kept(finish(line, record, { status, result }))
    record.failed(failure)
    record.answered(status, performance.now() - begun)
    return "ended" as const
  })

  /** Runs a line to its end, or gives it back. An interruption gives it back. */
  return (batch: BatchRow, line: HeldLine): Effect.Effect<LineOutcome> =>
    runOnce(batch, line).pipe(
      Effect.catchAllDefect((defect) =>
        Effect.logError("a line of a batch crashed", defect).pipe(
          Effect.zipRight(kept(giveBack({ ...line, attempts: line.attempts + 1 }, 0, line.tries))),
          Effect.as("waits" as const)
        )
      ),
      Effect.onInterrupt(() => Effect.ignore(Effect.timeout(giveBack(line, 0, line.tries), "5 seconds"))),
      Effect.annotateLogs({ batch: batch.id, line: line.place })
    )
})

/** Until the database takes it. */
const kept = <A>(write: Effect.Effect<A, StoreFailure>): Effect.Effect<A> => Effect.orDie(Effect.retry(write, backoff))

const givenUp = new Internal({
  message: `Internal error: the request was begun ${maxAttempts} times and never finished`
})

/** The answer's JSON. A passthrough answer is text. */
const textOf = (answer: object): Effect.Effect<string> =>
  answer instanceof Response ? Effect.promise(() => answer.text()) : Effect.sync(() => JSON.stringify(answer))
