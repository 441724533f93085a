import type { Cause } from "effect"
import { Internal } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Future } from "../flow/Future.ts"
import { Failed } from "../flow/Future.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import { addUsage } from "../generation/addUsage.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import type { UpstreamError } from "./UpstreamError.ts"

type Call = Future<Generation, Failure | UpstreamError>

/** How often an answer is gone on with; one that pauses still is told as it is. */
const mostRounds = 8

/**
 * An answer that its upstream may pause (a long turn of its own tools), gone on with for callers whose dialect has no
 * such thing: they see one answer, whose usage is that of all its rounds.
 *
 * @param goOn asks for the rest, given what the round used; undefined where that can't be asked for
 */
export const continued = (first: Generation, goOn: (used: Usage) => Call | undefined): Generation =>
  new Continued(first, goOn)

class Continued implements Generation {
  declare readonly adapted?: ReadonlyArray<string>
  declare readonly upstreamRequestId?: string
  readonly #goOn: (used: Usage) => Call | undefined
  #current: Generation
  #waiting: Call | undefined
  #round = 1
  /** By the rounds before this one, and by this one; undefined until it tells. */
  #before = noUsage
  #told: Usage | undefined
  #isCancelled = false

  constructor(first: Generation, goOn: (used: Usage) => Call | undefined) {
    this.#current = first
    this.#goOn = goOn
    if (first.adapted !== undefined) this.adapted = first.adapted
    if (first.upstreamRequestId !== undefined) this.upstreamRequestId = first.upstreamRequestId
  }

  next(): ReturnType<Generation["next"]> {
    if (this.#isCancelled) return undefined
    if (this.#waiting !== undefined) return this.#begun(this.#waiting)
    const next = this.#current.next()
    return next instanceof Promise ? next.then((batch) => this.#pass(batch)) : this.#pass(next)
  }

  cancel(how?: GenerationEnding): void {
    this.#isCancelled = true
    this.#waiting?.interrupt()
    this.#current.cancel(how)
  }

  #pass(batch: Batch | undefined): ReturnType<Generation["next"]> {
    if (batch === undefined) return undefined
    const passed: Array<GenerationEvent> = []
    for (const event of batch) {
      if (event.type === "usage") {
        this.#told = event.usage
        passed.push({ ...event, usage: addUsage(this.#before, event.usage) })
      } else if (event.type === "finished") {
        if (event.reason === "pause" && this.#goesOn()) return passed.length > 0 ? passed : this.next()
        // Of several rounds the others' usage is not all: it has to be counted.
        if (this.#round > 1 && this.#told === undefined) passed.push({ type: "usage", usage: untold })
        passed.push(event)
      } else if (event.type !== "started" || this.#round === 1) passed.push(event)
    }
    return passed
  }

  #goesOn(): boolean {
    const used = this.#told ?? untold
    const waiting = this.#round < mostRounds ? this.#goOn(used) : undefined
    if (waiting === undefined) return false
    this.#current.cancel("finished")
    this.#waiting = waiting
    this.#round++
    this.#before = addUsage(this.#before, used)
    this.#told = undefined
    return true
  }

  #begun(waiting: Call): Promise<Batch | undefined> {
    return new Promise((resolve) => {
      waiting.onDone((end) => {
        this.#waiting = undefined
        if (end instanceof Failed) return resolve(this.#isCancelled ? undefined : [failedBy(end.cause)])
        this.#current = end.value
        if (!this.#isCancelled) return resolve(this.next())
        end.value.cancel()
        resolve(undefined)
      })
    })
  }
}

const untold: Usage = { ...noUsage, inputTokens: Number.NaN, outputTokens: Number.NaN }

const failedBy = (cause: Cause.Cause<Failure | UpstreamError>): GenerationEvent => {
  const error = cause._tag === "Fail" ? cause.error : new Internal({})
  return { type: "failed", failure: error._tag === "UpstreamError" ? error.failure : error }
}
