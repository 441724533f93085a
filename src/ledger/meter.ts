import { Struct } from "effect"
import { inputOf } from "../contract/records/measures.ts"
import { callsOf, wholeUsage } from "../generation/addUsage.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import type { Doubt, FailedEvent, GenerationEvent, Usage, UsageEvent } from "../generation/GenerationEvent.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Served } from "../contract/records/Served.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import type { Charge } from "./Charge.ts"
import type { Price } from "./Price.ts"
import { Output } from "./Output.ts"
import { isCount } from "../contract/json/json.ts"
import { piecesOf } from "../contract/records/measures.ts"
import type { PieceCounts } from "../contract/records/measures.ts"

/** The request behind a metered generation. */
export interface Metering {
  /** The price of the route that answers. */
  readonly price: Price
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
  /** True if the client has left an answer that is read to its end all the same. */
  readonly isLeft: boolean
  /**
   * Reads on without the client, which left. The promise resolves at the end; undefined if the call is cancelled.
   *
   * @param pending the batch that is awaited
   */
  readonly readsOn: (generation: Generation, pending: ReturnType<Generation["next"]>) => Promise<void> | undefined
  /** The tier, speed and place that the upstream was asked for, for an answer whose end does not tell them. */
  readonly asked: () => Served | undefined
  /** The calls of servers' tools that have left so far, as far as they cost something. */
  readonly toolCalls?: () => Pick<Usage, "toolCalls"> | undefined
  /** Those of the request: only one that offers servers' tools has such calls. */
  readonly options?: { readonly serverTools?: unknown }
  /** Runs once at the end, with the tokens used and the outcome. */
  readonly done: (tokens: number, how: "finished" | "hang-up" | "failed", used: Usage) => void
}

/**
 * Meters a generation and charges it once: the reported usage when it finishes, also without its client, the input and
 * the output so far when it is cancelled because the client left, nothing when it fails: then the operator bears what it used. If the upstream reports no usage, or an implausible one, the gateway
 * counts it and puts its count in the answer, so that the charge and the answer agree.
 */
export const meter = (generation: Generation, charge: Settling, options: Metering): Generation =>
  new Metered(generation, charge, options)

type Settling = Omit<Charge, "extend">

/** One object per request, where closures would be eight. */
class Metered extends WrappedGeneration {
  readonly #charge: Settling
  readonly #options: Metering
  #output: Output | undefined
  #reported: Usage | undefined
  /** True if the reported usage is the total, not only the part known at the start. */
  #isTotal = false
  /** True if the gateway counted it. */
  #isEstimated = false
  /**
   * The usage has the gateway's own count before the frame that tells it, so that frame must repeat all of it: the
   * upstream's may omit what it reported at the start, or all.
   */
  #repeatsTotal = false
  /** Counts that are priced by the piece, of a usage whose tokens are implausible. */
  #pieces: PieceCounts | undefined
  #isOver = false
  #stored: Promise<void> | undefined
  /** The rest of the answer, which is read without the client. */
  #rest: Promise<void> | undefined

  constructor(generation: Generation, charge: Settling, options: Metering) {
    super(generation)
    this.#charge = charge
    this.#options = options
  }

  override cancel(how?: GenerationEnding): void {
    const { isLeft } = this.#options
    if (!this.#isOver && how !== "failed" && this.#rest === undefined) {
      this.#rest = this.#options.readsOn(this, this.pending)
      if (this.#rest !== undefined) return
    }
    super.cancel(how)
    if (this.#isOver) return
    if (how === "failed" || (this.#options.isShuttingDown() && !isLeft)) this.#cut()
    else this.#pay(this.#soFar(), "hang-up", true)
  }

  override settled(): Promise<void> | undefined {
    return this.#stored ?? this.#rest
  }

  #pay(counted: Usage, how: "finished" | "hang-up", estimated: boolean): void {
    this.#isOver = true
    // Those that the answer has told of lack the calls that run.
    const { options } = this.#options
    const used = options?.serverTools === undefined ? counted : { ...counted, ...this.#options.toolCalls?.() }
    if (estimated) this.#options.noted("usage_counted")
    this.#stored = this.#charge.settle(used, how, estimated)
    const whole = wholeUsage(used)
    this.#options.done(tokensOf(whole), how, whole)
  }

  /** The usage as the gateway counts it. The upstream's own count of the input stands. */
  #counted(): Usage {
    const reported = this.#reported ?? { ...noUsage, ...this.#pieces, inputTokens: this.#options.inputTokens() }
    const output = this.#output
    if (output === undefined) return reported
    const outputTokens = output.tokens()
    return {
      // A told charge covers only the output that was reported with it.
      ...(outputTokens > reported.outputTokens ? Struct.omit(reported, "toldNanoUsd") : reported),
      outputTokens: Math.max(reported.outputTokens, outputTokens),
      reasoningTokens: Math.max(reported.reasoningTokens, output.reasoningTokens()),
      searches: Math.max(reported.searches, output.searches),
      ...callsOf({ ...output.calls, ...reported.calls })
    }
  }

  /** The usage of an answer that has no end. */
  #soFar(): Usage {
    const [used, asked] = [this.#counted(), this.#options.asked()]
    return asked === undefined ? used : { ...used, served: { ...asked, ...used.served } }
  }

  /** The answer breaks off. The caller pays nothing, the operator what the upstream has read and written. */
  #cut(): void {
    this.#isOver = true
    if (this.#output === undefined && this.#reported === undefined) {
      this.#charge.release()
      this.#options.done(0, "failed", noUsage)
      return
    }
    const used = this.#isTotal ? (this.#reported ?? noUsage) : this.#soFar()
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
        const how = this.#options.isLeft ? "hang-up" : "finished"
        this.#pay(servedAs(this.#reported ?? noUsage, event.serviceTier), how, this.#isEstimated)
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

  #takeUsage(event: UsageEvent): Batch | undefined {
    const { counted, usage, withTokens } = event
    const doubt = this.#options.doubtOf(usage, false)
    const lacksTokens = doubt !== undefined || counted === "untold-tokens"
    if (lacksTokens && withTokens !== undefined && areTokensPaid(this.#options.price)) {
      if (doubt !== undefined) this.#options.doubted(doubt, usage)
      this.#repeatsTotal = true
      return [this.#countedAs(withTokens(() => this.#options.inputTokens()))]
    }
    // The gateway's own count of an answer without end grows beyond its bound, and is no lie of the upstream's.
    const isOwn = counted === "untold" || counted === "untold-tokens"
    if (counted !== undefined && !isOwn) this.#options.doubted(counted, usage)
    if (doubt === undefined) {
      this.#reported = usage
      this.#isTotal = true
      this.#isEstimated = counted === "untold-tokens" ? areTokensPaid(this.#options.price) : counted !== undefined
      return undefined
    }
    if (!isOwn) this.#options.doubted(doubt, usage)
    const pieces = piecesOf(usage)
    if (Object.values(pieces).every((count) => isCount(count ?? 0))) this.#pieces = pieces
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
    return this.#countedAs(this.#counted())
  }

  #countedAs(usage: Usage) {
    this.#reported = usage
    this.#isTotal = true
    this.#isEstimated = true
    return { type: "usage", usage } as const
  }
}

const servedAs = (usage: Usage, tier: string | undefined): Usage =>
  tier === undefined || usage.served?.tier !== undefined ? usage : { ...usage, served: { ...usage.served, tier } }

const areTokensPaid = ({ rates: { audio, image, input, output } }: Price): boolean =>
  [input, output, audio?.input, audio?.output, image?.input, image?.output].some((rate = 0) => rate > 0)

const tokensOf = (usage: Usage): number => inputOf(usage) + usage.outputTokens

type NativeEvent = Extract<GenerationEvent, { readonly type: "passthrough" }>

const withUsage = (event: NativeEvent, usage: Usage): NativeEvent =>
  event.terminal
    ? { ...event, text: event.usageFrame?.as(usage) ?? event.text }
    : { ...event, bytes: event.usageFrame?.as(usage) ?? event.bytes }
