import { Cause, Data } from "effect"
import type { Effect, Runtime } from "effect"
import { runFuture } from "../flow/runFuture.ts"
import { Future, Failed } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import type { Lifecycle } from "../flow/Lifecycle.ts"
import { onShutdown, offShutdown } from "../flow/shutdown.ts"
import type { ShutdownListener } from "../flow/shutdown.ts"

/** The request for which something is run. */
interface Asking {
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, "timeout">
  readonly serving: { readonly runtime: Runtime.Runtime<never>; readonly lifecycle: Lifecycle }
}

/** The client left before its answer began: nobody is there to be told. */
export class HungUp extends Data.TaggedError("HungUp") {}

/**
 * What an effect or begun work comes to. What is done at once answers at once; only what waits watches the socket, whose
 * hang-up interrupts it, and is freed from Bun's idle timeout.
 */
export const run = <A, E>(
  { request, server, serving }: Asking,
  work: Effect.Effect<A, E> | Future<A, E>
): Settled<A, E> | Promise<Settled<A, E | HungUp>> => {
  const begun = work instanceof Future ? work : runFuture(serving.runtime, work)
  if (begun.settled !== undefined) return begun.settled
  server.timeout(request, 0)
  return new Waiting(begun, request.signal, serving.lifecycle.shutdown).end
}

const hungUp = Future.fail(new HungUp())

/** Waits for work that its client's hang-up and the gateway's end interrupt. The first of them says why it was. */
class Waiting<A, E> implements ShutdownListener {
  shutdownPlace = -1
  /** Let go of at its end: the signal keeps this, and a stream goes on for long after. */
  #work: Future<A, E> | undefined
  readonly #shutdown: AbortSignal
  readonly end: Promise<Settled<A, E | HungUp>>
  #isLeft: boolean | undefined

  constructor(work: Future<A, E>, client: AbortSignal, shutdown: AbortSignal) {
    this.#work = work
    this.#shutdown = shutdown
    client.addEventListener("abort", this)
    onShutdown(shutdown, this)
    this.end = new Promise((resolve) => {
      work.onDone((end) => {
        this.#work = undefined
        offShutdown(this.#shutdown, this)
        const isStopped = end instanceof Failed && Cause.isInterruptedOnly(end.cause)
        resolve(isStopped && this.#isLeft === true ? hungUp : end)
      })
    })
    // Its signal fires once: while a large body was worked on, for instance.
    if (client.aborted) this.#interrupt(true)
  }

  /** @param left the client's hang-up; absent where the gateway stops */
  handleEvent(left?: Event): void {
    this.#interrupt(left !== undefined)
  }

  #interrupt(isLeft: boolean): void {
    this.#isLeft ??= isLeft
    this.#work?.interrupt()
  }
}
