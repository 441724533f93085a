import { Context, Effect } from "effect"
import type { Clock, Duration, Runtime } from "effect"
import { runFuture } from "../flow/runFuture.ts"
import { Future } from "../flow/Future.ts"
import { Slots } from "../flow/Slots.ts"
import type { Line, Slot } from "../flow/Slots.ts"
import type { AccountId } from "../contract/Caller.ts"
import { RateLimited, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import { usualRules } from "./CircuitBreakerRules.ts"
import type { CircuitBreakerRules } from "./CircuitBreakerRules.ts"
import { sharedSlots } from "./sharedSlots.ts"
import type { SharedCapacity } from "./sharedSlots.ts"
import { UpstreamCircuitBreaker } from "./UpstreamCircuitBreaker.ts"
import type { Permit } from "./UpstreamCircuitBreaker.ts"

export interface BulkheadOptions {
  /** Calls under way at a time; undefined is no bound. */
  readonly maxConcurrency: number | undefined
  /** The longest wait for room. */
  readonly queueDeadline: Duration.Duration
  readonly rules?: CircuitBreakerRules
  /** What other processes leave of `maxConcurrency`; undefined where each has all of it. */
  readonly room?: SharedCapacity | undefined
  /** Hears of each time the circuit opens for every account, and for how long, in ms. */
  readonly opened?: (forMs: number) => void
}

/** The way to one upstream, shared by everybody who calls it: its circuit and its line of waiting calls. */
export interface Bulkhead {
  readonly circuit: UpstreamCircuitBreaker
  readonly slots: Line | undefined
  readonly queueDeadline: Duration.Duration
  readonly clock: Clock.Clock
  /** Runs the waits. */
  readonly runtime: Runtime.Runtime<never>
}

/** The lanes of the configured upstreams by name. An upstream without one is called as it is. */
export class Bulkheads extends Context.Reference<Bulkheads>()("gateway/routing/Bulkheads", {
  defaultValue: (): ReadonlyMap<string, Bulkhead> => new Map()
}) {}

export const makeBulkhead = (options: BulkheadOptions): Effect.Effect<Bulkhead> =>
  Effect.zipWith(Effect.clock, Effect.runtime(), (clock, runtime) => ({
    circuit: new UpstreamCircuitBreaker(options.rules ?? usualRules, options.opened),
    slots: lineOf(options, clock),
    queueDeadline: options.queueDeadline,
    clock,
    runtime
  }))

const lineOf = ({ maxConcurrency, room }: BulkheadOptions, clock: Clock.Clock): Line | undefined => {
  if (maxConcurrency === undefined) return undefined
  const own = new Slots(maxConcurrency, clock)
  return room === undefined ? own : sharedSlots(own, room)
}

type Call = Future<Generation, Failure | UpstreamError>

/**
 * Makes an account's call where the upstream's circuit is closed and it has room, at once where it can. What it holds is
 * given back when the call fails or its generation is cancelled.
 */
export const through = (lane: Bulkhead | undefined, account: AccountId, call: () => Call): Call => {
  if (lane === undefined) return Future.attempt(call)
  const slot = lane.slots?.take(account)
  if (slot === undefined) return guarded(lane, account, call)
  const answered = slot.isFree
    ? guarded(lane, account, call)
    : waiting(lane, slot).flatMap(() => guarded(lane, account, call))
  return answered.matchCause({
    onSuccess: (generation) => Future.succeed(new InSlot(generation, slot)),
    onFailure: (cause) => {
      slot.leave()
      return Future.failCause(cause)
    }
  })
}

const waiting = ({ queueDeadline, runtime }: Bulkhead, slot: Slot): Future<void, UpstreamError> =>
  runFuture(runtime, Effect.timeoutFail(slot.turn, { duration: queueDeadline, onTimeout: () => noRoom }))

const noRoom = new UpstreamError({
  failure: new RateLimited({
    message: "The model's upstream is busy with as many requests as it takes, and none of them ended in time",
    retryAfterSeconds: null
  }),
  retry: "elsewhere",
  retryAfterMs: undefined,
  status: undefined,
  keptBack: true
})

const guarded = (lane: Bulkhead, account: AccountId, call: () => Call): Call => {
  const { circuit, clock } = lane
  const now = clock.unsafeCurrentTimeMillis()
  const permit = circuit.enter(account, now)
  if (permit === undefined) return Future.fail(paused(circuit.waitMs(now, account), circuit.isOpenForAll))
  return Future.attempt(call).matchCause({
    onSuccess: (generation) => {
      circuit.succeeded(permit, clock.unsafeCurrentTimeMillis())
      return Future.succeed(new Guarded(generation, lane, permit))
    },
    onFailure: (cause) => {
      settle(circuit, permit, cause._tag === "Fail" ? cause.error : undefined, clock.unsafeCurrentTimeMillis())
      return Future.failCause(cause)
    }
  })
}

const paused = (waitMs: number, isForAll: boolean): UpstreamError =>
  new UpstreamError({
    failure: new UpstreamFailed({
      message: isForAll
        ? "The model's upstream has failed too often recently. Try again later"
        : "Too many of this account's recent requests failed at the model's upstream. Try again later",
      retryAfterSeconds: waitMs / 1_000
    }),
    retry: "elsewhere",
    retryAfterMs: undefined,
    status: undefined,
    keptBack: true
  })

/** An upstream that says no to us (429, 400) is there all the same. */
const settle = (
  circuit: UpstreamCircuitBreaker,
  permit: Permit,
  error: Failure | UpstreamError | undefined,
  now: number
): void => {
  if (error?._tag !== "UpstreamError") circuit.abandoned(permit)
  else if (error.failure._tag === "UpstreamFailed") circuit.failed(permit, now, error.trouble === "unreachable")
  else circuit.succeeded(permit, now)
}

/** Hears of an upstream that fails in the middle of its answer. */
class Guarded extends WrappedGeneration {
  readonly #lane: Bulkhead
  readonly #permit: Permit

  constructor(inner: Generation, lane: Bulkhead, permit: Permit) {
    super(inner)
    this.#lane = lane
    this.#permit = permit
  }

  protected override note(batch: Batch | undefined): Batch | undefined {
    const last = batch?.at(-1)
    if (last?.type === "failed" && last.failure._tag === "UpstreamFailed") {
      this.#lane.circuit.brokeOff(this.#permit, this.#lane.clock.unsafeCurrentTimeMillis())
    }
    return batch
  }
}

/** Leaves its slot when it is cancelled, as every generation is in the end. */
class InSlot extends WrappedGeneration {
  readonly #slot: Slot

  constructor(inner: Generation, slot: Slot) {
    super(inner)
    this.#slot = slot
  }

  override cancel(how?: GenerationEnding): void {
    this.#slot.leave()
    this.inner.cancel(how)
  }
}
