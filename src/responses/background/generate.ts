import { Clock, Effect, Option } from "effect"
import { upstreamEnded } from "../../pipeline/ending.ts"
import type { Started } from "../../pipeline/Pipeline.ts"
import { UpstreamFailed } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Batch, Generation } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { Frame, Machine } from "../../generation/Machine.ts"
import type { StoreFailure } from "../../tasks/StoreFailure.ts"
import type { LeaseLost } from "../../tasks/TaskKind.ts"
import type { Encoded } from "../encoding.ts"
import { failedWith } from "./ending.ts"
import type { Transcript } from "./Transcript.ts"

/** An ended response. */
export interface Ended extends Encoded {
  readonly failure: Failure | undefined
}

export type Flush = Effect.Effect<void, StoreFailure | LeaseLost>

/** The shortest time between two writes of a response's events, in ms. */
const flushEveryMs = 100
/** An upstream that says nothing on a stream for this long has failed. */
const idleDeadline = "5 minutes"

/**
 * Pulls a generation to its end without a client. Frames go to the transcript, which is flushed regularly; the last
 * ones stay in it.
 *
 * @param flush stores the transcript's frames; undefined if no reader will need them
 */
export const generate = (
  { encode, generation }: Started<Encoded>,
  transcript: Transcript,
  flush: Flush | undefined
): Effect.Effect<Ended, StoreFailure | LeaseLost> =>
  encode(({ answer, machine }) => pulled(generation, machine, transcript, flush, answer))

const pulled = <S>(
  generation: Generation,
  { initial, step }: Machine<S, Frame>,
  transcript: Transcript,
  flush: Flush | undefined,
  made: (state: S) => Encoded
): Effect.Effect<Ended, StoreFailure | LeaseLost> =>
  Effect.gen(function* () {
    let state = initial
    let flushedAtMs = -Infinity
    const saved =
      flush === undefined
        ? Effect.sync(() => transcript.saved())
        : Effect.zipRight(
            flush,
            Effect.map(Clock.currentTimeMillis, (ms) => void (flushedAtMs = ms))
          )
    for (;;) {
      const next = arrival(generation, flush !== undefined)
      let batch: Batch | undefined
      if (transcript.unsaved().length === 0) batch = yield* next
      else {
        const dueInMs = flush === undefined ? 0 : flushedAtMs + flushEveryMs - (yield* Clock.currentTimeMillis)
        const soon = dueInMs > 0 ? yield* Effect.timeoutOption(next, dueInMs) : Option.none()
        if (Option.isNone(soon)) yield* saved
        batch = Option.isSome(soon) ? soon.value : yield* next
      }
      for (const event of batch ?? [upstreamEnded]) {
        const [after, frames] = step(state, event)
        state = after
        transcript.take(frames)
        if (!transcript.isSame()) return { ...made(state), failure: interrupted }
        if (event.type === "finished") return { ...made(state), failure: undefined }
        if (event.type === "failed") {
          const { output, response } = made(state)
          // A failed passthrough answer has no output, so the items come from its events.
          const items = output.length > 0 ? output : transcript.items()
          return { response: failedWith(response, event.failure), output: items, failure: event.failure }
        }
      }
    }
  })

/** Requests the next batch at once, exactly once. The effect may wait for it any number of times. */
const arrival = (generation: Generation, isStream: boolean): Effect.Effect<Batch | undefined> => {
  const next = generation.next()
  if (!(next instanceof Promise)) return Effect.succeed(next)
  const waited = Effect.promise(() => next)
  return isStream
    ? Effect.map(
        Effect.timeoutOption(waited, idleDeadline),
        Option.getOrElse(() => [silent])
      )
    : waited
}

/** Readers have events that no second answer would continue. */
export const interrupted = new UpstreamFailed({
  message: "The gateway was stopped while it wrote this response; its output is what there was until then"
})

const silent: GenerationEvent = {
  type: "failed",
  failure: new UpstreamFailed({ message: "The model's upstream went silent" })
}
