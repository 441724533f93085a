import { Effect, Exit, Runtime } from "effect"
import type { Fiber } from "effect"
import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Frame, Machine } from "./Machine.ts"
import { eventStream, heartbeatEvery, patience, render } from "./streamed.ts"

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
 * queue, retries) leaves the client with an open stream and heartbeats, and failures are told in-band from then on.
 */
export const patient = (answer: Effect.Effect<Response, Failure>, options: Waiting): Effect.Effect<Response, Failure> =>
  Effect.flatMap(Effect.runtime(), (runtime) =>
    Effect.suspend(() => {
      const fiber = Runtime.runFork(runtime)(answer)
      const already = fiber.unsafePoll()
      if (already !== null) return already
      return Effect.async<Response, Failure>((resume) => {
        const timer = setTimeout(() => resume(Effect.sync(() => opened(fiber, options))), options.holdMs ?? patience)
        fiber.addObserver((exit) => {
          clearTimeout(timer)
          resume(exit)
        })
        return Effect.sync(() => {
          clearTimeout(timer)
          fiber.unsafeInterruptAsFork(fiber.id())
        })
      })
    })
  )

/** Tells a failure in a family's dialect, on a stream that has nothing on it yet. */
export const failedStream =
  <S, F extends Frame>(machine: Machine<S, F>) =>
  (failure: Failure): string =>
    render(machine.step(machine.initial, { type: "failed", failure })[1])

const utf8 = new TextEncoder()

/** The stream that is open before its answer is there: heartbeats, then the answer's own bytes. */
const opened = (fiber: Fiber.RuntimeFiber<Response, Failure>, options: Waiting): Response => {
  const { shutdown } = options.request
  const left = Promise.withResolvers<Exit.Exit<Response, Failure>>()
  fiber.addObserver(left.resolve)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let beat: ReturnType<typeof setInterval>
  const stopWaiting = () => {
    clearInterval(beat)
    shutdown.removeEventListener("abort", onShutdown)
  }
  const onShutdown = () => {
    left.resolve(Exit.fail(new UpstreamFailed({ message: "The gateway is shutting down" })))
    fiber.unsafeInterruptAsFork(fiber.id())
  }
  return eventStream({
    start: (controller) => {
      shutdown.addEventListener("abort", onShutdown, { once: true })
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
      fiber.unsafeInterruptAsFork(fiber.id())
      if (reader !== undefined) return reader.cancel()
      const exit = await left.promise
      if (Exit.isSuccess(exit)) await exit.value.body?.cancel()
    }
  })
}

const failureOf = (exit: Exit.Failure<Response, Failure>): Failure =>
  exit.cause._tag === "Fail" ? exit.cause.error : new Internal({})
