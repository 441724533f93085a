import { callsOf, wholeUsage } from "../generation/addUsage.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import type { Doubt, FailedEvent, GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import type { Charge } from "./Charge.ts"
import { Output } from "./Output.ts"

/** The request behind a metered generation. */
export interface Metering {
  /** Counts the input. Called only if the upstream does not report it. */
  readonly inputTokens: () => number
  /** The implausible part of an upstream's usage; undefined if it is plausible. */
  readonly doubtOf: (usage: Usage, isStart: boolean) => Doubt | undefined
  /** Runs for implausible usage, with the usage that replaces it. */
  readonly doubted: (doubt: Doubt, usage: Usage) => void
  /** Runs for a note about the request (`RequestRecord.notes`). */
  readonly noted: (note: string) => void
  /** Runs once, at the first piece of the answer. */
  readonly firstPiece: () => void
  /** Runs if the answer fails after it has begun. */
  readonly failed: (event: FailedEvent) => void
  /** True if the gateway itself stops the work, so that the client pays nothing. */
  readonly isShuttingDown: () => boolean
  /** Runs once at the end, with the tokens used and the outcome. */
  readonly done: (tokens: number, how: "finished" | "hang-up" | "failed", used: Usage) => void
}

/**
 * Meters a generation and charges it once: the reported usage when it finishes, the input and the output so far when
 * the client disconnects, nothing when it fails: then the operator bears what it used. If the upstream reports no usage, or an implausible one, the gateway
 * counts it and puts its count in the answer, so that the charge and the answer agree.
 */
export const metered = (generation: Generation, charge: Charge, options: Metering): Generation =>
  new Metered(generation, charge, options)

/** One object per request, where closures would be eight. */
class Metered extends WrappedGeneration {
  readonly #charge: Charge
  readonly #options: Metering
  #output: Output | undefined
  #reported: Usage | undefined
  /** True if the reported usage is the total, not only the part known at the start. */
  #isTotal = false
  /** True if the gateway counted it. */
  #isEstimated = false
  /**
   * The answer began with the gateway's own count, so the total must repeat all of it: the upstream's last frame may
   * omit what it reported at the start.
   */
  #repeatsTotal = false
  #isOver = false
  #stored: Promise<void> | undefined

  constructor(generation: Generation, charge: Charge, options: Metering) {
    super(generation)
    this.#charge = charge
    this.#options = options
  }

  override cancel(how?: GenerationEnding): void {
    super.cancel(how)
    if (this.#isOver) return
    if (how === "failed" || this.#options.isShuttingDown()) this.#cut()
    else this.#pay(this.#counted(), "hang-up", true)
  }

  override settled(): Promise<void> | undefined {
    return this.#stored
  }

  #pay(used: Usage, how: "finished" | "hang-up", estimated: boolean): void {
    this.#isOver = true
    if (estimated) this.#options.noted("usage_counted")
    this.#stored = this.#charge.settle(used, how, estimated)
    const whole = wholeUsage(used)
    this.#options.done(tokensOf(whole), how, whole)
  }

  /** The usage as the gateway counts it. The upstream's own count of the input stands. */
  #counted(): Usage {
    const reported = this.#reported ?? { ...noUsage, inputTokens: this.#options.inputTokens() }
    const output = this.#output
    if (output === undefined) return reported
    return {
      ...reported,
      outputTokens: Math.max(reported.outputTokens, output.tokens()),
      reasoningTokens: Math.max(reported.reasoningTokens, output.reasoningTokens()),
      searches: Math.max(reported.searches, output.searches),
      ...callsOf({ ...output.calls, ...reported.calls })
    }
  }

  /** The answer breaks off. The caller pays nothing, the operator what the upstream has read and written. */
  #cut(): void {
    this.#isOver = true
    if (this.#output === undefined && this.#reported === undefined) {
      this.#charge.release()
      this.#options.done(0, "failed", noUsage)
      return
    }
    const used = this.#isTotal ? (this.#reported ?? noUsage) : this.#counted()
    this.#charge.cut(used, !this.#isTotal || this.#isEstimated)
    this.#options.done(0, "failed", wholeUsage(used))
  }

  protected override note(batch: Batch | undefined): Batch | undefined {
    if (this.#isOver) return batch
    if (batch === undefined) {
      this.#cut()
      return batch
    }
    let changed: Array<GenerationEvent> | undefined
    for (let index = 0; index < batch.length && !this.#isOver; index++) {
      const event = batch[index]
      if (event === undefined) continue
      const instead = this.#take(event)
      if (instead !== undefined) changed ??= batch.slice(0, index)
      changed?.push(...(instead ?? [event]))
    }
    return changed ?? batch
  }

  /** Handles an event; undefined if it does not change. */
  #take(event: GenerationEvent): Batch | undefined {
    switch (event.type) {
      case "started":
        return event.usage === undefined ? undefined : this.#started(event.usage)
      case "usage":
        return this.#takeUsage(event)
      case "failed":
        this.#options.failed(event)
        this.#cut()
        return undefined
      case "finished": {
        if (event.unknownReason !== undefined) this.#options.noted(`finish:${event.unknownReason}`)
        const instead = this.#isTotal ? undefined : [this.#count(), event]
        this.#pay(this.#reported ?? noUsage, "finished", this.#isEstimated)
        return instead
      }
      default:
        if (this.#output === undefined) {
          this.#output = new Output()
          this.#options.firstPiece()
        }
        this.#output.take(event)
        return event.type === "passthrough" ? this.#withUsage(event) : undefined
    }
  }

  #started(usage: Usage): Batch | undefined {
    const doubt = this.#options.doubtOf(usage, true)
    if (doubt === undefined) {
      // At the start, the output is unknown, whatever is reported.
      this.#reported = { ...usage, outputTokens: 0, reasoningTokens: 0, searches: 0 }
      const isWhole = !Number.isNaN(usage.outputTokens + usage.reasoningTokens + usage.searches)
      return isWhole ? undefined : [{ type: "started", usage: this.#reported }]
    }
    this.#options.doubted(doubt, usage)
    this.#repeatsTotal = true
    this.#isEstimated = true
    this.#reported = { ...noUsage, inputTokens: this.#options.inputTokens() }
    return [{ type: "started", usage: this.#reported }]
  }

  #takeUsage({ counted, usage }: Extract<GenerationEvent, { readonly type: "usage" }>): Batch | undefined {
    const doubt = this.#options.doubtOf(usage, false)
    if (counted !== undefined && counted !== "untold") this.#options.doubted(counted, usage)
    if (doubt === undefined) {
      this.#reported = usage
      this.#isTotal = true
      this.#isEstimated = counted !== undefined
      return undefined
    }
    this.#options.doubted(doubt, usage)
    this.#isTotal = false
    return []
  }

  /** An upstream's frame, with the gateway's counts in place of missing or implausible ones. */
  #withUsage(event: NativeEvent): Batch | undefined {
    const { usageFrame } = event
    if (usageFrame === undefined) return undefined
    if (usageFrame.isTotal) {
      if (this.#isTotal) {
        return this.#repeatsTotal && this.#reported !== undefined ? [withUsage(event, this.#reported)] : undefined
      }
      const total = this.#count()
      return [total, withUsage(event, total.usage)]
    }
    return this.#isEstimated && this.#reported !== undefined ? [withUsage(event, this.#reported)] : undefined
  }

  /** Counts the usage so far as the total. */
  #count() {
    const usage = this.#counted()
    this.#reported = usage
    this.#isTotal = true
    this.#isEstimated = true
    return { type: "usage", usage } as const
  }
}

const tokensOf = ({ cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens }: Usage): number =>
  inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens

type NativeEvent = Extract<GenerationEvent, { readonly type: "passthrough" }>

const withUsage = (event: NativeEvent, usage: Usage): NativeEvent =>
  event.terminal
    ? { ...event, text: event.usageFrame?.as(usage) ?? event.text }
    : { ...event, bytes: event.usageFrame?.as(usage) ?? event.bytes }
