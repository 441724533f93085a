import { Cause, Chunk, Effect, Exit, Fiber, Option, Runtime, Scope, Stream } from "effect"
import { Internal } from "../../contract/failures/Failure.ts"
import { runFuture } from "../../flow/runFuture.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import type { Batch, Generation } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { GenerateOptions, TextUpstream } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/**
 * A custom text upstream from a function of a conversation to a stream of events. The first event accepts the call: a
 * failure before it is a refused call, which the next route may answer; a later one breaks the answer. A stream without
 * `finished` ends with `stop`. Without a `usage` event the gateway counts the tokens itself. The stream is interrupted
 * when the client disconnects.
 */
export const streamUpstream = (
  name: string,
  answer: (conversation: Conversation, options: GenerateOptions) => Stream.Stream<GenerationEvent, UpstreamError>
): TextUpstream => ({
  name,
  generate: (conversation, options) =>
    runFuture(options.runtime, accepted(Stream.suspend(() => answer(conversation, options))))
})

/** The next non-empty batch of events. Fails at the end of the stream. */
type Pull = Effect.Effect<Batch, UpstreamError>

/** Waits for the first events. Closes the stream if it fails before them. */
const accepted = (events: Stream.Stream<GenerationEvent, UpstreamError>): Effect.Effect<Generation, UpstreamError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const runtime = yield* Effect.runtime()
      const pull = pullFrom(yield* Scope.extend(Stream.toPull(events), scope))
      const first = yield* Effect.onError(restore(pull), (cause) => Scope.close(scope, Exit.failCause(cause)))
      return new Streamed({ first, pull, runtime, scope })
    })
  )

const pullFrom = (chunks: Effect.Effect<Chunk.Chunk<GenerationEvent>, Option.Option<UpstreamError>>): Pull => {
  const pull: Pull = Effect.matchEffect(chunks, {
    onFailure: Option.match({ onNone: () => Effect.succeed([stopped]), onSome: (error) => Effect.fail(error) }),
    onSuccess: (chunk) => (Chunk.isEmpty(chunk) ? pull : Effect.succeed(untilEnd(Chunk.toReadonlyArray(chunk))))
  })
  return pull
}

const stopped: GenerationEvent = { type: "finished", reason: "stop", stopSequence: null }

const isEnd = (event: GenerationEvent | undefined) => event?.type === "finished" || event?.type === "failed"

const untilEnd = (events: Batch): Batch => {
  const end = events.findIndex(isEnd)
  return end === -1 ? events : events.slice(0, end + 1)
}

interface Started {
  readonly first: Batch
  readonly pull: Pull
  readonly scope: Scope.CloseableScope
  readonly runtime: Runtime.Runtime<never>
}

class Streamed implements Generation {
  readonly #stream: Started
  #first: Batch | undefined
  #fiber: Fiber.RuntimeFiber<Batch, UpstreamError> | undefined
  #give: ((batch: Batch | undefined) => void) | undefined
  #isOver = false

  constructor(stream: Started) {
    this.#stream = stream
    this.#first = stream.first
  }

  next(): Batch | undefined | Promise<Batch | undefined> {
    if (this.#isOver) return undefined
    const first = this.#first
    this.#first = undefined
    if (first !== undefined) return this.#seen(first)
    return new Promise((resolve) => {
      this.#give = resolve
      // The call's runtime, with interruption enabled again.
      this.#fiber = Runtime.runFork(this.#stream.runtime)(Effect.interruptible(this.#stream.pull))
      this.#fiber.addObserver((exit) => {
        if (!this.#isOver) resolve(this.#seen(Exit.isSuccess(exit) ? exit.value : this.#broken(exit.cause)))
      })
    })
  }

  cancel(): void {
    if (this.#isOver) return
    this.#close()
    this.#give?.(undefined)
  }

  #seen(batch: Batch): Batch {
    if (isEnd(batch.at(-1))) this.#close()
    return batch
  }

  #broken(cause: Cause.Cause<UpstreamError>): Batch {
    const error = Cause.failureOption(cause)
    if (Option.isSome(error)) return [{ type: "failed", failure: error.value.failure }]
    Runtime.runFork(this.#stream.runtime)(Effect.logError("an upstream's stream failed with a defect", cause))
    return [{ type: "failed", failure: new Internal({}) }]
  }

  #close(): void {
    this.#isOver = true
    const { runtime, scope } = this.#stream
    const interrupted = this.#fiber === undefined ? Effect.void : Fiber.interrupt(this.#fiber)
    Runtime.runFork(runtime)(Effect.zipRight(interrupted, Scope.close(scope, Exit.void)))
  }
}
