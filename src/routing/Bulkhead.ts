import { Context, Duration, Effect } from "effect"
import type { Clock, Runtime } from "effect"
import { runFuture } from "../flow/runFuture.ts"
import { Future } from "../flow/Future.ts"
import { Slots } from "../flow/Slots.ts"
import type { Line, Slot } from "../flow/Slots.ts"
import type { AccountId } from "../contract/callers/Caller.ts"
import { RateLimited, UpstreamFailed } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import { isOfKey, isUnusable, UpstreamError } from "../upstreams/UpstreamError.ts"
import { usualRules } from "./CircuitBreakerRules.ts"
import type { CircuitBreakerRules } from "./CircuitBreakerRules.ts"
import { sharedSlots } from "./sharedSlots.ts"
import type { SharedCapacity } from "./sharedSlots.ts"
import { UpstreamCircuitBreaker } from "./UpstreamCircuitBreaker.ts"
import type { Permit } from "./UpstreamCircuitBreaker.ts"

/** The longest wait for a place, unless the upstream's entry says otherwise. */
export const usualQueueSeconds = 60

export interface BulkheadOptions {
  /** The most concurrent calls; undefined means no limit. */
  readonly maxConcurrency: number | undefined
  /** The longest wait for a slot. */
  readonly queueDeadline: Duration.Duration
  readonly rules?: CircuitBreakerRules
  /** The capacity shared with other processes; undefined if `maxConcurrency` is this process's alone. */
  readonly room?: SharedCapacity | undefined
  /** Called each time the circuit opens for every account, with the duration in ms. */
  readonly opened?: (forMs: number) => void
}

/** Calls that wait for one of a number of places. */
export interface Queue {
  readonly slots: Line | undefined
  /** The longest wait for a place. */
  readonly queueDeadline: Duration.Duration
  /** The runtime for the waits. */
  readonly runtime: Runtime.Runtime<never>
}

/** The shared access to one upstream: its circuit breakers and its queue of waiting calls. */
export interface Bulkhead extends Queue {
  readonly circuit: UpstreamCircuitBreaker
  readonly clock: Clock.Clock
}

/** A route's own bound of concurrent calls, and the longest wait for a place. */
export interface RouteBound {
  /** The same for all names of its model. */
  readonly name: string
  readonly most: number
  readonly queueSeconds: number
}

/** The queues of the routes with a bound of their own, by its name. */
export class RouteQueues extends Context.Reference<RouteQueues>()("gateway/routing/RouteQueues", {
  defaultValue: (): ReadonlyMap<string, Queue> => new Map()
}) {}

export const makeQueue = ({
  maxConcurrency,
  queueDeadline,
  room
}: Pick<BulkheadOptions, "maxConcurrency" | "queueDeadline" | "room">): Effect.Effect<Queue> =>
  Effect.zipWith(Effect.clock, Effect.runtime(), (clock, runtime) => ({
    slots: lineOf({ maxConcurrency, room }, clock),
    queueDeadline,
    runtime
  }))

/** The bulkheads of the configured upstreams, by name. An upstream without one is called directly. */
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

/** The same places behind a circuit breaker of its own. */
export const withOwnCircuit = (
  bulkhead: Bulkhead,
  { opened, rules }: Pick<BulkheadOptions, "opened" | "rules">
): Bulkhead => ({
  ...bulkhead,
  circuit: new UpstreamCircuitBreaker(rules ?? usualRules, opened)
})

const lineOf = (
  { maxConcurrency, room }: Pick<BulkheadOptions, "maxConcurrency" | "room">,
  clock: Clock.Clock
): Line | undefined => {
  if (maxConcurrency === undefined) return undefined
  const own = new Slots(maxConcurrency, clock)
  return room === undefined ? own : sharedSlots(own, room)
}

type Call = Future<Generation, Failure | UpstreamError>

/**
 * Makes an account's call if the circuit is closed and a slot is free, otherwise waits for a slot. The slot is returned
 * when the call fails or its generation is cancelled.
 *
 * @param key the upstream's key of the call, if it has several: a limit of one does not open the circuit. A refused key
 *   never does, because the upstream is up, and callers need its refusal rather than a pause
 * @param ofRoute the queue of the call's route, if it has one; its place is taken first, and both are waited for as long
 *   as for one
 */
export const through = (
  bulkhead: Bulkhead | undefined,
  account: AccountId,
  call: () => Call,
  key?: string,
  ofRoute?: Queue
): Call => {
  const begin = (spentMs: number) =>
    bulkhead === undefined
      ? Future.attempt(call)
      : inPlace(bulkhead, account, () => guarded(bulkhead, account, call, key !== undefined), spentMs)
  if (ofRoute === undefined) return begin(0)
  const now = () => bulkhead?.clock.unsafeCurrentTimeMillis() ?? 0
  const queuedMs = now()
  return inPlace(ofRoute, account, () => begin(now() - queuedMs), 0)
}

/** @param spentMs of the longest wait */
const inPlace = (queue: Queue, account: AccountId, call: () => Call, spentMs: number): Call => {
  const slot = queue.slots?.take(account)
  if (slot === undefined) return call()
  const answered = slot.isFree ? call() : waiting(queue, slot, spentMs).flatMap(call)
  return answered.matchCause({
    onSuccess: (generation) => Future.succeed(new InSlot(generation, slot)),
    onFailure: (cause) => {
      slot.leave()
      return Future.failCause(cause)
    }
  })
}

const waiting = ({ queueDeadline, runtime }: Queue, slot: Slot, spentMs: number): Future<void, UpstreamError> =>
  runFuture(
    runtime,
    Effect.timeoutFail(slot.turn, {
      duration: Duration.subtract(queueDeadline, Duration.millis(spentMs)),
      onTimeout: () => noRoom
    })
  )

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

const guarded = (bulkhead: Bulkhead, account: AccountId, call: () => Call, hasKeys: boolean): Call => {
  const { circuit, clock } = bulkhead
  const now = clock.unsafeCurrentTimeMillis()
  const permit = circuit.enter(account, now)
  if (permit === undefined) return Future.fail(paused(circuit.waitMs(now, account), circuit.isOpenForAll))
  return Future.attempt(call).matchCause({
    onSuccess: (generation) => {
      circuit.recordSuccess(permit, clock.unsafeCurrentTimeMillis())
      return Future.succeed(new Guarded(generation, bulkhead, permit))
    },
    onFailure: (cause) => {
      const error = cause._tag === "Fail" ? cause.error : undefined
      const isItsKeys = error?._tag === "UpstreamError" && (isUnusable(error) || (hasKeys && isOfKey(error)))
      const now = clock.unsafeCurrentTimeMillis()
      if (isItsKeys) circuit.recordSuccess(permit, now)
      else settle(circuit, permit, error, now)
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

/** A refusal (429, 400) still shows that the upstream is up. What the gateway kept back says nothing. */
const settle = (
  circuit: UpstreamCircuitBreaker,
  permit: Permit,
  error: Failure | UpstreamError | undefined,
  now: number
): void => {
  if (error?._tag !== "UpstreamError" || error.keptBack === true) circuit.recordCancel(permit)
  else if (error.failure._tag === "UpstreamFailed") circuit.recordFailure(permit, now, error.trouble === "unreachable")
  else circuit.recordSuccess(permit, now)
}

/** Reports a failure in the middle of an answer to the circuit. */
class Guarded extends WrappedGeneration {
  readonly #bulkhead: Bulkhead
  readonly #permit: Permit

  constructor(inner: Generation, bulkhead: Bulkhead, permit: Permit) {
    super(inner)
    this.#bulkhead = bulkhead
    this.#permit = permit
  }

  protected override note(batch: Batch | undefined): Batch | undefined {
    const last = batch?.at(-1)
    if (last?.type === "failed" && last.failure._tag === "UpstreamFailed") {
      this.#bulkhead.circuit.brokeOff(this.#permit, this.#bulkhead.clock.unsafeCurrentTimeMillis())
    }
    return batch
  }
}

/** Returns the slot when it is cancelled, as every generation is in the end. */
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
