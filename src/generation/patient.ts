import { Effect, Exit } from "effect"
import { exitOf } from "../contract/eager.ts"
import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Pending } from "../contract/Pending.ts"
import { running } from "../contract/running.ts"
import type { Running } from "../contract/running.ts"
import { hearShutdown, leaveShutdown } from "../contract/shutdown.ts"
import type { Frame, Machine } from "./Machine.ts"
import { eventStream, heartbeatEvery, patience, render } from "./streamed.ts"
import { lateness, leave, watch } from "./watch.ts"
import type { Watched } from "./watch.ts"

export interface Waiting {
  readonly request: Incoming
  /** What is sent after ten seconds of silence. */
  readonly heartbeat: string
  /** The frames that tell a failure on a stream that has nothing on it yet. */
  readonly failed: (failure: Failure) => string
  /** In ms; ten seconds unless said otherwise. */
  readonly holdMs?: number
}

/**
 * Holds a stream's 200 for ten seconds at most: an upstream that takes longer to accept a request (a model that loads, a
 * queue, retries) leaves the client with an open stream and heartbeats, and failures are told in-band from then on. Run
 * what this gives.
 */
export const patient = (answer: Effect.Effect<Response, Failure>, options: Waiting): Effect.Effect<Response, Failure> =>
  exitOf(answer) !== undefined
    ? answer
    : answer instanceof Pending
      ? new Held(answer, options)
      : Effect.flatMap(Effect.runtime(), (runtime) => new Held(running(runtime, answer), options))

type Answer = Running<Response, Failure>

/** A stream whose answer is not there yet. */
class Held extends Pending<Response, Failure> implements Watched {
  readonly #answer: Answer | Pending<Response, Failure>
  readonly #options: Waiting
  readonly #until: number
  #isHeld = true

  constructor(answer: Answer | Pending<Response, Failure>, options: Waiting) {
    super()
    this.#answer = answer
    this.#options = options
    const holdMs = options.holdMs ?? patience - lateness
    this.#until = performance.now() + holdMs
    watch(this, holdMs)
    answer.hear((end: Effect.Effect<Response, Failure>) => this.#answered(end))
  }

  look(): number {
    const answer = this.#answer
    this.#release(
      answer instanceof Pending
        ? Effect.map(Effect.runtime(), (runtime) => opened(running(runtime, answer), this.#options))
        : Effect.succeed(opened(answer, this.#options))
    )
    return Infinity
  }

  #answered(end: Effect.Effect<Response, Failure>): void {
    // What is left of it needs a fiber: a second call, for one.
    const rest = () =>
      patient(Effect.uninterruptible(end), {
        ...this.#options,
        holdMs: Math.max(0, this.#until - performance.now())
      })
    this.#release(exitOf(end) ?? rest())
  }

  #release(end: Effect.Effect<Response, Failure>): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    leave(this)
    this.end(end)
  }

  protected override abandon(): void {
    leave(this)
    this.#answer.interrupt()
  }
}

/** Tells a failure in a family's dialect, on a stream that has nothing on it yet. */
export const failedStream =
  <S, F extends Frame>(machine: Machine<S, F>) =>
  (failure: Failure): string =>
    render(machine.step(machine.initial, { type: "failed", failure })[1])

const utf8 = new TextEncoder()

/** The stream that is open before its answer is there: heartbeats, then the answer's own bytes. */
const opened = (answer: Answer, options: Waiting): Response => {
  const { shutdown } = options.request
  const left = Promise.withResolvers<Exit.Exit<Response, Failure>>()
  answer.hear(left.resolve)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let beat: ReturnType<typeof setInterval>
  const stopWaiting = () => {
    clearInterval(beat)
    leaveShutdown(shutdown, onShutdown)
  }
  const onShutdown = {
    handleEvent: () => {
      left.resolve(Exit.fail(new UpstreamFailed({ message: "The gateway is shutting down" })))
      answer.interrupt()
    }
  }
  const source: Bun.UnderlyingSource<Uint8Array> = {
    start: (controller) => {
      hearShutdown(shutdown, onShutdown)
      controller.enqueue(utf8.encode(options.heartbeat))
      beat = setInterval(() => controller.enqueue(utf8.encode(options.heartbeat)), heartbeatEvery)
    },
    pull: async (controller) => {
      if (reader === undefined) {
        const exit = await left.promise
        stopWaiting()
        if (Exit.isFailure(exit) || exit.value.body === null) {
          controller.enqueue(utf8.encode(options.failed(Exit.isFailure(exit) ? failureOf(exit) : new Internal({}))))
          controller.close()
          return
        }
        reader = exit.value.body.getReader()
      }
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      stopWaiting()
      answer.interrupt()
      if (reader !== undefined) return reader.cancel()
      const exit = await left.promise
      if (Exit.isSuccess(exit)) await exit.value.body?.cancel()
    }
  }
  return eventStream(source, options.request)
}

const failureOf = (exit: Exit.Failure<Response, Failure>): Failure =>
  exit.cause._tag === "Fail" ? exit.cause.error : new Internal({})
