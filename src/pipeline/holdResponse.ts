import { Internal, UpstreamFailed } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Future, Failed, Succeeded } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import { clearDeadline, lateness, setDeadline } from "../flow/deadlines.ts"
import type { HasDeadline } from "../flow/deadlines.ts"
import { onShutdown, offShutdown } from "../flow/shutdown.ts"
import type { ShutdownListener } from "../flow/shutdown.ts"
import { PendingFuture } from "../flow/PendingFuture.ts"
import type { GenerationEnding } from "../generation/Generation.ts"
import type { Frame, Machine } from "../generation/Machine.ts"
import { heartbeatEvery, render } from "./streamAnswer.ts"
import { eventStream } from "./streamResponse.ts"

export interface HoldOptions {
  readonly request: Incoming
  /** The frames of a failure that is the first content of a stream. */
  readonly failed: (failure: Failure) => string
  /** True for a failure that clients expect in the stream, however early it comes. */
  readonly isToldInStream?: ((failure: Failure) => boolean) | undefined
  /** In ms. Defaults to ten seconds. */
  readonly holdMs?: number
}

/** The longest wait for the first event before the 200 is sent, in ms. */
const longestHoldMs = 10_000

/** A comment, which every client library skips, for a stream without content. */
const heartbeat = ": ping\n\n"

/**
 * Delays a stream's 200 until its first event, for at most ten seconds. After that (a model that loads, a queue,
 * retries, long reasoning) the client gets an open stream with heartbeats, and failures are sent in-band.
 */
export const holdResponse = (answer: Future<Response, Failure>, options: HoldOptions): Future<Response, Failure> =>
  answer.settled === undefined ? new HeldResponse(answer, options) : inStream(answer.settled, options)

/** A failure that clients expect in the stream becomes a stream. */
const inStream = (end: Settled<Response, Failure>, options: HoldOptions): Settled<Response, Failure> =>
  end instanceof Failed && options.isToldInStream?.(failureOf(end)) === true ? Future.succeed(open(end, options)) : end

/** A stream that waits for its first event. */
class HeldResponse extends PendingFuture<Response, Failure> implements HasDeadline {
  deadlinePlace = -1
  readonly #answer: Future<Response, Failure>
  readonly #options: HoldOptions

  constructor(answer: Future<Response, Failure>, options: HoldOptions) {
    super()
    this.#answer = answer
    this.#options = options
    setDeadline(this, options.holdMs ?? longestHoldMs - lateness)
    answer.onDone((end) => this.#release(end))
  }

  look(): number {
    this.#release(Future.succeed(open(this.#answer, this.#options)))
    return Infinity
  }

  #release(end: Settled<Response, Failure>): void {
    if (this.settled !== undefined) return
    clearDeadline(this)
    this.end(inStream(end, this.#options))
  }

  override interrupt(): void {
    if (this.settled === undefined) this.#answer.interrupt()
  }
}

/** A stream that consists of a failure in the family's dialect. */
export const failedStream =
  <S, F extends Frame>(machine: () => Machine<S, F>) =>
  (failure: Failure): string => {
    const { initial, step } = machine()
    return render(step(initial, { type: "failed", failure })[1])
  }

const utf8 = new TextEncoder()

/** A stream that is opened before its answer exists: heartbeats, then the answer's bytes. */
const open = (answer: Future<Response, Failure>, options: HoldOptions): Response => {
  const { once, record, shutdown } = options.request
  record?.streams()
  const left = Promise.withResolvers<Settled<Response, Failure>>()
  answer.onDone(left.resolve)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let beat: ReturnType<typeof setInterval>
  let isLeft = false
  const stopWaiting = () => {
    clearInterval(beat)
    offShutdown(shutdown, gatewayStops)
  }
  const over = (how: GenerationEnding) => {
    once?.ended(how)
    record?.over(how)
  }
  const gatewayStops: ShutdownListener = {
    shutdownPlace: -1,
    handleEvent: () => {
      left.resolve(Future.fail(new UpstreamFailed({ message: "The gateway is shutting down" })))
      answer.interrupt()
    }
  }
  const source: Bun.UnderlyingSource<Uint8Array> = {
    start: (controller) => {
      onShutdown(shutdown, gatewayStops)
      controller.enqueue(utf8.encode(heartbeat))
      beat = setInterval(() => controller.enqueue(utf8.encode(heartbeat)), heartbeatEvery)
    },
    pull: async (controller) => {
      if (reader === undefined) {
        const end = await left.promise
        if (isLeft) return
        stopWaiting()
        if (end instanceof Failed || end.value.body === null) {
          const failure = end instanceof Failed ? failureOf(end) : new Internal({})
          controller.enqueue(utf8.encode(options.failed(failure)))
          record?.failed(failure)
          over("failed")
          controller.close()
          return
        }
        reader = end.value.body.getReader()
      }
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      isLeft = true
      clearInterval(beat)
      if (reader !== undefined) return reader.cancel()
      if (record?.generation?.leave() !== true) answer.interrupt()
      const end = await left.promise
      stopWaiting()
      if (end instanceof Succeeded) await end.value.body?.cancel()
      // Last, when the upstream and the cost are known.
      over("hang-up")
    }
  }
  return eventStream(source, options.request)
}

const failureOf = ({ cause }: Failed<Failure>): Failure => (cause._tag === "Fail" ? cause.error : new Internal({}))
