import { Effect, Either } from "effect"
import type { Failure } from "../../contract/failures/Failure.ts"
import { openDecoder } from "../../contract/open.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import { Pipeline } from "../../pipeline/Pipeline.ts"
import type { StoreFailure } from "../../tasks/StoreFailure.ts"
import { journalOf } from "../../tasks/journal/journalOf.ts"
import { runRecord } from "../../tasks/runRecord.ts"
import { decodeStored, incomingOf, readable } from "../../tasks/StoredRequest.ts"
import type { Lease, LeaseLost } from "../../tasks/TaskKind.ts"
import { ContentsLog } from "../../telemetry/ContentsLog.ts"
import { TaskCallLog } from "../../telemetry/TaskCallLog.ts"
import { CreateResponse } from "../CreateResponse.ts"
import { makeReplays } from "../replays.ts"
import type { StoredResponse } from "../store/ResponseStore.ts"
import { backgroundFamily } from "./backgroundFamily.ts"
import { endingOf, failedWith } from "./ending.ts"
import { generate } from "./generate.ts"
import type { Ended, Flush } from "./generate.ts"
import type { Transcript } from "./Transcript.ts"

const path = "/v1/responses"
const decodeBody = openDecoder(CreateResponse)

/** Generates a response from its stored request. The money was held when it was accepted. */
export const makeAnswer = Effect.gen(function* () {
  const pipeline = yield* Pipeline
  const ledger = yield* Ledger
  const replays = yield* makeReplays
  const calls = yield* TaskCallLog
  const contents = yield* ContentsLog

  return Effect.fnUntraced(function* (
    lease: Lease,
    { response }: StoredResponse,
    transcript: Transcript,
    flush: Flush | undefined
  ): Effect.fn.Return<Ended, LeaseLost | StoreFailure> {
    const { id } = lease.task

    const failedAnswer = (failure: Failure): Ended => {
      const failed = failedWith(response, failure)
      transcript.take(endingOf(failed))
      return { response: failed, output: [], failure }
    }

    const stored = yield* Effect.flatMap(lease.request, decodeStored)
    // It was valid when it was accepted, so a failure here means that another version accepted it.
    const payload = yield* readable(decodeBody(stored.body))
    const { ended, record } = runRecord(calls, lease.task, path)
    const request = incomingOf(stored, path, { record, trace: lease.trace })
    const start = pipeline.start(backgroundFamily(replays, { id, createdAt: response.created_at }))
    const prepaid = { charge: ledger.chargeOf(id), routes: stored.routes, journal: journalOf(lease) }
    const options = { stream: flush !== undefined, prepaid }
    // Fails if the response that it continues was deleted meanwhile.
    const started = Effect.either(start({ caller: stored.caller, payload, request }, options))
    return yield* Effect.scoped(
      Effect.flatMap(
        started,
        Either.match({
          onLeft: (failure) => Effect.succeed(failedAnswer(failure)),
          onRight: (begun) => generate(begun, transcript, flush)
        })
      )
    ).pipe(
      Effect.tap(({ response }) =>
        Effect.sync(() =>
          contents.tell({ account: lease.task.account, record, trace: lease.trace }, () => ({
            request: stored.body,
            answer: response
          }))
        )
      ),
      Effect.ensuring(Effect.sync(ended))
    )
  })
})
