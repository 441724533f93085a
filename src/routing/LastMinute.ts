import { failureKind, isFailedCall } from "../contract/records/CallOutcome.ts"
import type { Attempt } from "../contract/records/Attempt.ts"

/** The minute is divided into parts of ten seconds, so that old calls expire gradually. */
const [parts, partMs] = [6, 10_000]

/** The calls of one minute. */
export interface MinuteOfCalls {
  readonly calls: number
  readonly failed: number
  /** How many failed in which way (`failureKind`). */
  readonly kinds: ReadonlyMap<string, number>
  /** The last call's end, in Unix ms. */
  readonly untilMs: number
}

interface Part {
  at: number
  calls: number
  failed: number
  kinds: Map<string, number>
}

/** Counts an upstream's calls of the minute before the last one. */
export class LastMinute {
  readonly #parts: Array<Part> = Array.from({ length: parts }, (_, at) => ({
    at,
    calls: 0,
    failed: 0,
    kinds: new Map()
  }))
  #untilMs = 0

  ended({ calls, outcome, status }: Pick<Attempt, "outcome" | "calls" | "status">, nowMs: number): void {
    const part = this.#partOf(nowMs)
    part.calls += calls
    if (isFailedCall(outcome)) this.#fails(part, failureKind(outcome, status))
  }

  /** A call that had been counted as answered broke off. */
  brokeOff(nowMs: number): void {
    this.#fails(this.#partOf(nowMs), "cut")
  }

  /** Undefined before the first call. */
  get summary(): MinuteOfCalls | undefined {
    if (this.#untilMs === 0) return undefined
    const first = Math.floor(this.#untilMs / partMs) - parts + 1
    const kinds = new Map<string, number>()
    let [calls, failed] = [0, 0]
    for (const part of this.#parts) {
      if (part.at < first) continue
      calls += part.calls
      failed += part.failed
      for (const [kind, count] of part.kinds) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
    }
    // A call may begin to answer in one minute and break off in the next.
    return { calls: Math.max(calls, failed), failed, kinds, untilMs: this.#untilMs }
  }

  #fails(part: Part, kind: string): void {
    part.failed++
    part.kinds.set(kind, (part.kinds.get(kind) ?? 0) + 1)
  }

  #partOf(nowMs: number): Part {
    this.#untilMs = Math.max(this.#untilMs, nowMs)
    const at = Math.floor(nowMs / partMs)
    const known = this.#parts[at % parts]
    if (known !== undefined && known.at === at) return known
    const part = { at, calls: 0, failed: 0, kinds: new Map<string, number>() }
    this.#parts[at % parts] = part
    return part
  }
}
