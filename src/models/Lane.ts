import { Context, Effect } from "effect"
import type { Clock, Duration } from "effect"
import * as Eager from "../contract/eager.ts"
import { RateLimited, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Batch, Generation, How } from "../generation/Generation.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import { Circuit, usualRules } from "./Circuit.ts"
import type { CircuitRules, Pass } from "./Circuit.ts"
import { Slots } from "./Slots.ts"
import type { Slot } from "./Slots.ts"

export interface LaneOptions {
  /** Calls under way at a time; undefined is no bound. */
  readonly maxConcurrency: number | undefined
  /** The longest wait for room. */
  readonly queueDeadline: Duration.Duration
  readonly rules?: CircuitRules
}

/** The way to one upstream, shared by everybody who calls it: its circuit and its line of waiting calls. */
export interface Lane {
  readonly circuit: Circuit
  readonly slots: Slots | undefined
  readonly queueDeadline: Duration.Duration
  readonly clock: Clock.Clock
}

/** The lanes of the configured upstreams by name. An upstream without one is called as it is. */
export class Lanes extends Context.Reference<Lanes>()("gateway/models/Lanes", {
  defaultValue: (): ReadonlyMap<string, Lane> => new Map()
}) {}

export const makeLane = (options: LaneOptions): Effect.Effect<Lane> =>
  Effect.map(Effect.clock, (clock) => ({
    circuit: new Circuit(options.rules ?? usualRules),
    slots: options.maxConcurrency === undefined ? undefined : new Slots(options.maxConcurrency),
    queueDeadline: options.queueDeadline,
    clock
  }))

type Call = Effect.Effect<Generation, Failure | UpstreamError>

/**
 * Makes a call where the upstream's circuit is closed and it has room, at once where it can. What it holds is given back
 * when the call fails or its generation is cancelled. To be run uninterruptibly, up to whoever cancels the generation;
 * its waits can be interrupted all the same.
 */
export const through = (lane: Lane | undefined, call: () => Call): Call => {
  if (lane === undefined) return made(call)
  const slot = lane.slots?.take()
  if (slot === undefined) return guarded(lane, call)
  const answered = slot.isFree ? guarded(lane, call) : Effect.flatMap(waiting(lane, slot), () => guarded(lane, call))
  return Eager.matchCauseEffect(answered, {
    onSuccess: (generation) => Effect.succeed(new InSlot(generation, slot)),
    onFailure: (cause) => {
      slot.leave()
      return Effect.failCause(cause)
    }
  })
}

const made = (call: () => Call): Call => Eager.interruptible(Eager.suspend(call))

const waiting = ({ queueDeadline }: Lane, slot: Slot): Effect.Effect<void, UpstreamError> =>
  Effect.interruptible(Effect.timeoutFail(slot.turn, { duration: queueDeadline, onTimeout: () => noRoom }))

const noRoom = new UpstreamError({
  failure: new RateLimited({
    message: "The model's upstream is busy with as many requests as it takes, and none of them ended in time",
    retryAfterSeconds: null
  }),
  retry: "elsewhere",
  retryAfterMs: undefined,
  status: undefined
})

const guarded = (lane: Lane, call: () => Call): Call => {
  const { circuit, clock } = lane
  const pass = circuit.enter(clock.unsafeCurrentTimeMillis())
  if (pass === undefined) return Effect.fail(failsTooOften)
  return Eager.matchCauseEffect(made(call), {
    onSuccess: (generation) => {
      circuit.succeeded(pass, clock.unsafeCurrentTimeMillis())
      return Effect.succeed(new Guarded(generation, lane))
    },
    onFailure: (cause) => {
      settle(circuit, pass, cause._tag === "Fail" ? cause.error : undefined, clock.unsafeCurrentTimeMillis())
      return Effect.failCause(cause)
    }
  })
}

const failsTooOften = new UpstreamError({
  failure: new UpstreamFailed({
    message: "The model's upstream has failed too often of late; it is left alone a while"
  }),
  retry: "elsewhere",
  retryAfterMs: undefined,
  status: undefined
})

/** An upstream that says no to us (429, 400) is there all the same. */
const settle = (circuit: Circuit, pass: Pass, error: Failure | UpstreamError | undefined, now: number): void => {
  if (error === undefined) circuit.abandoned(pass)
  else if (error._tag === "UpstreamError" && error.failure._tag === "UpstreamFailed") circuit.failed(pass, now)
  else if (error._tag === "UpstreamError") circuit.succeeded(pass, now)
  else circuit.abandoned(pass)
}

/** A generation with something of the lane's around it. */
class Around implements Generation {
  declare readonly native?: true
  declare readonly adapted?: ReadonlyArray<string>
  protected readonly inner: Generation

  constructor(inner: Generation) {
    this.inner = inner
    if (inner.native !== undefined) this.native = inner.native
    if (inner.adapted !== undefined) this.adapted = inner.adapted
  }

  next(): ReturnType<Generation["next"]> {
    return this.inner.next()
  }

  cancel(how?: How): void {
    this.inner.cancel(how)
  }

  settled(): Promise<void> | undefined {
    return this.inner.settled?.()
  }
}

/** Hears of an upstream that fails in the middle of its answer. */
class Guarded extends Around {
  readonly #lane: Lane
  /** Made once, and not for every chunk. */
  #observing: ((batch: Batch | undefined) => Batch | undefined) | undefined

  constructor(inner: Generation, lane: Lane) {
    super(inner)
    this.#lane = lane
  }

  override next(): ReturnType<Generation["next"]> {
    const next = this.inner.next()
    return next instanceof Promise
      ? next.then((this.#observing ??= (batch) => this.#observe(batch)))
      : this.#observe(next)
  }

  #observe(batch: Batch | undefined): Batch | undefined {
    const last = batch?.at(-1)
    if (last?.type === "failed" && last.failure._tag === "UpstreamFailed") {
      this.#lane.circuit.brokeOff(this.#lane.clock.unsafeCurrentTimeMillis())
    }
    return batch
  }
}

/** Leaves its slot when it is cancelled, as every generation is in the end. */
class InSlot extends Around {
  readonly #slot: Slot

  constructor(inner: Generation, slot: Slot) {
    super(inner)
    this.#slot = slot
  }

  override cancel(how?: How): void {
    this.#slot.leave()
    this.inner.cancel(how)
  }
}
