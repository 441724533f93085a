import type { Cause } from "effect"
import { Internal } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Future } from "../../flow/Future.ts"
import { Failed } from "../../flow/Future.ts"
import type { Batch, Generation, GenerationEnding } from "../../generation/Generation.ts"
import { WrappedGeneration } from "../../generation/WrappedGeneration.ts"
import { addUsage } from "../../generation/addUsage.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { UpstreamError } from "../UpstreamError.ts"

type Call = Future<Generation, Failure | UpstreamError>

/** The most rounds of one answer. If it pauses after the last one, the caller gets it as it is. */
const mostRounds = 8

/**
 * Continues an answer that its upstream pauses (a long turn of its own tools), for callers whose dialect has no pauses.
 * They see one answer with the usage of all rounds.
 *
 * @param nextRound requests the next round, given this round's usage; undefined if that is not possible
 */
export const continueAnswer = (first: Generation, nextRound: (used: Usage) => Call | undefined): Generation =>
  new Continued(first, nextRound)

class Continued extends WrappedGeneration {
  readonly #nextRound: (used: Usage) => Call | undefined
  #nextCall: Call | undefined
  #round = 1
  /** The usage of the earlier rounds, and of this one; undefined until the upstream reports it. */
  #before = noUsage
  #usage: Usage | undefined
  #isCancelled = false

  constructor(first: Generation, nextRound: (used: Usage) => Call | undefined) {
    super(first)
    this.#nextRound = nextRound
  }

  override next(): ReturnType<Generation["next"]> {
    if (this.#isCancelled) return undefined
    if (this.#nextCall !== undefined) return this.#resume(this.#nextCall)
    return super.next()
  }

  override cancel(how?: GenerationEnding): void {
    this.#isCancelled = true
    this.#nextCall?.interrupt()
    super.cancel(how)
  }

  protected override note(batch: Batch | undefined): ReturnType<Generation["next"]> {
    if (batch === undefined) return undefined
    const passed: Array<GenerationEvent> = []
    for (const event of batch) {
      if (event.type === "usage") {
        this.#usage = event.usage
        passed.push({ ...event, usage: addUsage(this.#before, event.usage) })
      } else if (event.type === "finished") {
        if (event.reason === "pause" && this.#startNextRound()) return passed.length > 0 ? passed : this.next()
        // The last round reported no usage, so the known part is not the total: have it counted.
        if (this.#round > 1 && this.#usage === undefined) passed.push({ type: "usage", usage: unknownUsage })
        passed.push(event)
      } else if (event.type !== "started" || this.#round === 1) passed.push(event)
    }
    return passed
  }

  #startNextRound(): boolean {
    const used = this.#usage ?? unknownUsage
    const nextCall = this.#round < mostRounds ? this.#nextRound(used) : undefined
    if (nextCall === undefined) return false
    this.inner.cancel("finished")
    this.#nextCall = nextCall
    this.#round++
    this.#before = addUsage(this.#before, used)
    this.#usage = undefined
    return true
  }

  #resume(nextCall: Call): Promise<Batch | undefined> {
    return new Promise((resolve) => {
      nextCall.onDone((end) => {
        this.#nextCall = undefined
        if (end instanceof Failed) return resolve(this.#isCancelled ? undefined : [failedBy(end.cause)])
        this.inner = end.value
        if (!this.#isCancelled) return resolve(this.next())
        end.value.cancel()
        resolve(undefined)
      })
    })
  }
}

const unknownUsage: Usage = { ...noUsage, inputTokens: Number.NaN, outputTokens: Number.NaN }

const failedBy = (cause: Cause.Cause<Failure | UpstreamError>): GenerationEvent => {
  const error = cause._tag === "Fail" ? cause.error : new Internal({})
  return { type: "failed", failure: error._tag === "UpstreamError" ? error.failure : error }
}
