import { Effect } from "effect"
import type { Cause } from "effect"
import { daemon } from "../flow/daemon.ts"
import { everySecond } from "../flow/schedules.ts"

/** When the next batch is due: at once, after this event-loop turn, in so many ms; undefined if nothing waits. */
export type Due = "now" | "this turn" | number | undefined

/** Called once a batch has ended, maybe before `send` returns; with the cause if work is left that a retry may do. */
export type BatchEnded = (failed?: Cause.Cause<unknown>) => void

/** Called each time the outcome of a batch could not be found out. `BatchEnded` follows once it is known. */
export type Doubtful = (cause: Cause.Cause<unknown>) => void

export interface Gather {
  /** Looks whether a batch is due. Call it when something has been added. */
  readonly wake: () => void
  /** Sends what waits, without a delay. Returns after so many batches, or after one that failed. */
  readonly flush: (batches: number) => Effect.Effect<void>
}

/**
 * Sends what is gathered, one batch at a time, in plain code: fibers cost several times what the driver does. After a
 * failure it waits for a second; flushes do not.
 *
 * @param name the daemon's
 * @param send takes what waits and sends it; must not throw
 */
export const makeGather = Effect.fnUntraced(function* (
  name: string,
  due: () => Due,
  send: (ended: BatchEnded, doubtful: Doubtful) => void
) {
  let isSending = false
  let isInDoubt = false
  let isFailing = false
  /** Ends the daemon's pass. Undefined while the daemon waits after a failure, and when it has ended. */
  let report: ((outcome: Effect.Effect<void, unknown>) => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let firesAt = Infinity
  let flushing: Array<{ left: number; readonly done: () => void }> = []
  let stopped = () => {}

  const reported = (outcome: Effect.Effect<void, unknown>) => {
    const tell = report
    report = undefined
    tell?.(outcome)
  }
  const failed = (cause: Cause.Cause<unknown>) => {
    isFailing = true
    reported(Effect.failCause(cause))
  }
  const recovered = () => {
    isFailing = false
    reported(Effect.void)
  }
  const flushed = (isOver: boolean) => {
    const some = flushing
    for (const one of some) one.left--
    flushing = isOver ? [] : some.filter(({ left }) => left > 0)
    for (const { done, left } of some) if (isOver || left <= 0) done()
  }

  const ended: BatchEnded = (cause) => {
    isSending = false
    isInDoubt = false
    flushed(cause !== undefined || due() === undefined)
    if (cause !== undefined) failed(cause)
    else if (isFailing) recovered()
    stopped()
    wake()
  }
  const doubtful: Doubtful = (cause) => {
    isInDoubt = true
    flushed(true)
    failed(cause)
    stopped()
  }

  const go = () => {
    clearTimeout(timer)
    firesAt = Infinity
    if (isSending || due() === undefined || (report === undefined && flushing.length === 0)) return
    isSending = true
    send(ended, doubtful)
  }
  const wake = (): void => {
    if (isSending) return
    if (flushing.length > 0) return go()
    const when = report && due()
    if (when === undefined) return
    if (when === "now") return go()
    const at = when === "this turn" ? -Infinity : performance.now() + when
    if (at >= firesAt) return
    clearTimeout(timer)
    firesAt = at
    if (when === "this turn") setImmediate(go)
    else timer = setTimeout(go, when)
  }

  const pass = Effect.async<void, unknown>((resume) => {
    report = resume
    // Nothing is left of the batch that failed.
    if (isFailing && !isSending && due() === undefined) recovered()
    wake()
    return Effect.sync(() => {
      report = undefined
      clearTimeout(timer)
    })
  })

  // Finalizers run in reverse order: this one after the daemon's.
  yield* Effect.addFinalizer(() =>
    Effect.async<void>((resume) => {
      stopped = () => {
        if (!isSending || isInDoubt) resume(Effect.void)
      }
      stopped()
    })
  )
  yield* daemon(name, Effect.as(pass, Effect.void), everySecond)

  const gather: Gather = {
    wake,
    flush: (batches) =>
      Effect.async((resume) => {
        if (!isSending && due() === undefined) return resume(Effect.void)
        flushing.push({ left: batches + (isSending ? 1 : 0), done: () => resume(Effect.void) })
        wake()
      })
  }
  return gather
})
