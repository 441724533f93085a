import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { InvalidRequest } from "../../contract/Failure.ts"
import type { Failure } from "../../contract/Failure.ts"
import { openDecoder } from "../../contract/open.ts"
import { toEffect } from "../../flow/toEffect.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import { Dispatch } from "../../dispatch/Dispatch.ts"
import { decodeStored, incoming } from "../../tasks/StoredRequest.ts"
import type { Lease, LeaseLost } from "../../tasks/TaskKind.ts"
import { CreateResponse } from "../CreateResponse.ts"
import { generating, prepare } from "../generating.ts"
import { replayFor } from "../replayFor.ts"
import { ResponseStore } from "../store/ResponseStore.ts"
import type { StoredResponse } from "../store/ResponseStore.ts"
import { endingOf, failedWith } from "./ending.ts"
import { generate } from "./generate.ts"
import type { Ended, Flush } from "./generate.ts"
import type { Transcript } from "./Transcript.ts"

const decodeBody = openDecoder(CreateResponse)

/** Answers a response's stored request; the money was set aside when it was accepted. */
export const makeAnswer = Effect.gen(function* () {
  const models = yield* Dispatch
  const ledger = yield* Ledger
  const store = yield* ResponseStore

  return Effect.fnUntraced(function* (
    lease: Lease,
    { response }: StoredResponse,
    transcript: Transcript,
    flush: Flush | undefined
  ): Effect.fn.Return<Ended, LeaseLost | SqlError> {
    const { account, id } = lease.task

    const failed = (failure: Failure): Ended => {
      const told = failedWith(response, failure)
      transcript.take(endingOf(told))
      return { response: told, output: [], failure }
    }

    const stored = yield* Effect.flatMap(lease.request, decodeStored).pipe(Effect.catchTag("ParseError", Effect.die))
    // It was valid when it was accepted; if it is not now, this gateway is another one.
    const payload = yield* Effect.orDie(decodeBody(stored.body))
    const replay = yield* Effect.either(replayFor(store, account, payload))
    // What it continues may have been deleted since.
    if (replay._tag === "Left") return failed(replay.left)
    const request = incoming(stored, "/v1/responses", lease.trace)
    const prepared = prepare(payload, request, replay.right, { id, createdAt: response.created_at })
    if (prepared instanceof InvalidRequest) return failed(prepared)
    const options = { stream: flush !== undefined, prepaid: { charge: ledger.chargeOf(id), routes: stored.routes } }
    const begun = toEffect(
      () => generating(models, stored.caller, prepared, options),
      (generation) => generation.cancel()
    )
    return yield* Effect.acquireUseRelease(
      Effect.interruptible(Effect.either(begun)),
      (generation) =>
        generation._tag === "Left"
          ? Effect.succeed(failed(generation.left))
          : generate(prepared, generation.right, transcript, flush),
      (generation) =>
        Effect.sync(() => {
          if (generation._tag === "Right") generation.right.cancel()
        })
    )
  })
})
