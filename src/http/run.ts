import { Cause, Data } from "effect"
import type { Effect, Runtime } from "effect"
import { runFuture } from "../flow/runFuture.ts"
import { Future, Failed } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import type { Lifecycle } from "../flow/Lifecycle.ts"
import { onShutdown, offShutdown } from "../flow/shutdown.ts"
import type { ShutdownListener } from "../flow/shutdown.ts"

/** The parts of an exchange that `run` needs. */
interface Context {
  readonly request: Request
  readonly record: Pick<RequestRecord, "generation">
  readonly server: Pick<Bun.Server<undefined>, "timeout">
  readonly serving: { readonly runtime: Runtime.Runtime<never>; readonly lifecycle: Lifecycle }
}

/** The client left before the answer began. */
export class HungUp extends Data.TaggedError("HungUp") {}

/**
 * Runs an effect, or waits for a future. Finished work is returned synchronously. Waiting work is interrupted if the
 * client leaves, unless it is a generation that is read on, and lifts Bun's idle timeout.
 */
export const run = <A, E>(
  { record, request, server, serving }: Context,
  work: Effect.Effect<A, E> | Future<A, E>
): Settled<A, E> | Promise<Settled<A, E | HungUp>> => {
  const future = work instanceof Future ? work : runFuture(serving.runtime, work)
  const { settled } = future
  if (settled !== undefined) return settled
  server.timeout(request, 0)
  return new InterruptibleWait(future, record, request.signal, serving.lifecycle.shutdown).end
}

const hungUp = Future.fail(new HungUp())

/** Waits for a future, which a hang-up or shutdown interrupts. The first of the two decides the result. */
class InterruptibleWait<A, E> implements ShutdownListener {
  shutdownPlace = -1
  /** Both are released at the end, because the signal keeps this object alive as long as a stream runs. */
  #work: Future<A, E> | undefined
  #record: Context["record"] | undefined
  readonly #shutdown: AbortSignal
  readonly end: Promise<Settled<A, E | HungUp>>
  #isLeft: boolean | undefined

  constructor(work: Future<A, E>, record: Context["record"], client: AbortSignal, shutdown: AbortSignal) {
    this.#work = work
    this.#record = record
    this.#shutdown = shutdown
    client.addEventListener("abort", this)
    onShutdown(shutdown, this)
    this.end = new Promise((resolve) => {
      work.onDone((end) => {
        this.#work = this.#record = undefined
        offShutdown(this.#shutdown, this)
        const isStopped = end instanceof Failed && Cause.isInterruptedOnly(end.cause)
        resolve(isStopped && this.#isLeft === true ? hungUp : end)
      })
    })
    // The signal may have fired earlier, for instance while a large body was processed.
    if (client.aborted) this.#interrupt(true)
  }

  /** @param left the client's hang-up; absent for shutdown */
  handleEvent(left?: Event): void {
    this.#interrupt(left !== undefined)
  }

  #interrupt(isLeft: boolean): void {
    this.#isLeft ??= isLeft
    if (isLeft && this.#record?.generation?.leave() === true) return
    this.#work?.interrupt()
  }
}
