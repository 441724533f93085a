import type { Effect, Exit, Runtime } from "effect"
import { exitOf } from "../contract/eager.ts"
import { running } from "../contract/running.ts"
import type { Running } from "../contract/running.ts"
import { hearShutdown, leaveShutdown } from "../contract/shutdown.ts"
import type { ShutdownListener } from "../contract/shutdown.ts"
import type { Lifecycle } from "../health/Lifecycle.ts"

/** The request for which something is run. */
interface Asking {
  readonly request: Request
  readonly server: Bun.Server<undefined>
  readonly serving: { readonly runtime: Runtime.Runtime<never>; readonly lifecycle: Lifecycle }
}

/**
 * Runs an effect, as one fiber where it needs any. What is done at once answers at once; only what waits watches the
 * socket, whose hang-up interrupts it, and is freed from Bun's idle timeout.
 */
export const run = <A, E>(
  { request, server, serving }: Asking,
  effect: Effect.Effect<A, E>
): Exit.Exit<A, E> | Promise<Exit.Exit<A, E>> => {
  const already = exitOf(effect)
  if (already !== undefined) return already
  const work = running(serving.runtime, effect)
  let exit: Exit.Exit<A, E> | undefined
  work.hear((end) => {
    exit = end
  })
  if (exit !== undefined) return exit
  server.timeout(request, 0)
  return new Waiting(work, request.signal, serving.lifecycle.shutdown).end
}

/** Waits for work that its client's hang-up and the gateway's end interrupt. */
class Waiting<A, E> implements ShutdownListener {
  /** Let go of at its end: the signal keeps this, and a stream goes on for long after. */
  #work: Running<A, E> | undefined
  readonly #shutdown: AbortSignal
  readonly end: Promise<Exit.Exit<A, E>>

  constructor(work: Running<A, E>, client: AbortSignal, shutdown: AbortSignal) {
    this.#work = work
    this.#shutdown = shutdown
    client.addEventListener("abort", this)
    hearShutdown(shutdown, this)
    this.end = new Promise((resolve) => {
      work.hear((exit) => {
        this.#work = undefined
        leaveShutdown(this.#shutdown, this)
        resolve(exit)
      })
    })
  }

  handleEvent(): void {
    this.#work?.interrupt()
  }
}
