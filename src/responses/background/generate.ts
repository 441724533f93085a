import { Clock, Effect, Option } from "effect"
import { upstreamEnded } from "../../pipeline/ending.ts"
import type { Started } from "../../pipeline/Pipeline.ts"
import { UpstreamFailed } from "../../contract/Failure.ts"
import type { Failure } from "../../contract/Failure.ts"
import type { Batch, Generation } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { Frame, Machine } from "../../generation/Machine.ts"
import type { StoreFailure } from "../../tasks/StoreFailure.ts"
import type { LeaseLost } from "../../tasks/TaskKind.ts"
import type { Made } from "../encoding.ts"
import { failedWith } from "./ending.ts"
import type { Transcript } from "./Transcript.ts"

/** A response as it ended. */
export interface Ended extends Made {
  readonly failure: Failure | undefined
}

export type Flush = Effect.Effect<void, StoreFailure | LeaseLost>

/** A response's events are stored ten times a second at most. */
const flushEveryMs = 100
/** An upstream that says nothing on a stream for this long has failed. */
const idleDeadline = "5 minutes"

/**
 * Pulls a generation to its end, for nobody in particular: its frames go to the transcript, and from there to where they
 * are read as often as may be. The last ones are left in it.
 *
 * @param flush stores what the transcript has; undefined where nobody will read it
 */
export const generate = (
  { encode, generation }: Started<Made>,
  transcript: Transcript,
  flush: Flush | undefined
): Effect.Effect<Ended, StoreFailure | LeaseLost> =>
  encode(({ answer, machine }) => pulled(generation, machine, transcript, flush, answer))

const pulled = <S>(
  generation: Generation,
  { initial, step }: Machine<S, Frame>,
  transcript: Transcript,
  flush: Flush | undefined,
  made: (state: S) => Made
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
        if (event.type === "finished") return { ...made(state), failure: undefined }
        if (event.type === "failed") {
          const { output, response } = made(state)
          // Of a failed answer an upstream's own words tell no items.
          const items = output.length > 0 ? output : transcript.items()
          return { response: failedWith(response, event.failure), output: items, failure: event.failure }
        }
      }
    }
  })

/** What comes next, asked for at once and once; waited for as often as it must be. */
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

const silent: GenerationEvent = {
  type: "failed",
  failure: new UpstreamFailed({ message: "The model's upstream went silent" })
}
