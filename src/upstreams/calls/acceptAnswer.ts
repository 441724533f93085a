import { Future } from "../../flow/Future.ts"
import { clearDeadline, setDeadline } from "../../flow/deadlines.ts"
import type { HasDeadline } from "../../flow/deadlines.ts"
import { PendingFuture } from "../../flow/PendingFuture.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Batch, Generation } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { UpstreamTrouble } from "../../generation/UpstreamTrouble.ts"
import type { Exchange } from "./Exchange.ts"
import type { Answer } from "../text/generationOf.ts"
import { emptyAnswer } from "../text/emptyAnswer.ts"
import type { GenerateOptions } from "../Upstream.ts"
import { retryAfter } from "./refusal.ts"
import { delayIn, UpstreamError } from "../UpstreamError.ts"

/** How long an answer without words is held back, in ms. If it fails meanwhile, another route can still answer. */
const beginningMs = 1_000
/** The most of its events that are held back. */
const mostBeginning = 1_000
/**
 * The same if no other route exists and the client streams: only what follows immediately is awaited. It counts from
 * the answer's start event; before that, the longer limit applies.
 */
const aloneMs = 1

/**
 * Accepts an answer with its first words. A 200 alone is no answer yet: a failure before the first words (an error in
 * the first frame, an HTML page, an empty body, an answer that ends without content) is a refused call, which the next
 * route may answer.
 */
export const acceptAnswer = (
  answer: Answer,
  exchange: Exchange,
  options: Pick<GenerateOptions, "isPatient" | "mayLeave" | "stream">
): Future<Generation, Failure | UpstreamError> => new Accepting(answer, exchange, options)

class Accepting extends PendingFuture<Generation, Failure | UpstreamError> implements HasDeadline {
  deadlinePlace = -1
  readonly #answer: Answer
  readonly #exchange: Exchange
  readonly #options: Pick<GenerateOptions, "isPatient" | "mayLeave" | "stream">
  #soon: ReturnType<typeof setTimeout> | undefined
  #beginning: Batch = []
  #pending: Promise<Batch | undefined> | undefined

  constructor(answer: Answer, exchange: Exchange, options: Pick<GenerateOptions, "isPatient" | "mayLeave" | "stream">) {
    super()
    this.#options = options
    this.#answer = answer
    this.#exchange = exchange
    this.#listen()
  }

  look(): number {
    this.#accept(this.#beginning, this.#pending)
    return Infinity
  }

  protected override abandon(): void {
    this.#stopWaiting()
    this.#answer.cancel()
  }

  #listen(): void {
    const next = this.#answer.next()
    if (!(next instanceof Promise)) return this.#receive(next)
    this.#pending = next
    void next.then((batch) => this.#receive(batch))
  }

  #receive(batch: Batch | undefined): void {
    if (this.settled !== undefined) return
    const last = batch?.at(-1)
    if (last?.type === "failed") return this.#refuse(last)
    const all = this.#beginning.length === 0 ? (batch ?? []) : [...this.#beginning, ...(batch ?? [])]
    if (batch === undefined || all.length > mostBeginning || !batch.every(isBeginning)) {
      const empty = last?.type === "finished" ? emptyAnswer(all, this.#options) : undefined
      if (empty !== undefined) return this.#refuse({ type: "failed", ...empty }, "elsewhere")
      return this.#accept(all.length === 0 ? undefined : all, undefined)
    }
    if (this.#beginning.length === 0) setDeadline(this, beginningMs)
    this.#beginning = all
    if (this.#options.isPatient !== true && all.some(isStart)) this.#soon ??= setTimeout(() => this.look(), aloneMs)
    this.#listen()
  }

  #stopWaiting(): void {
    clearDeadline(this)
    clearTimeout(this.#soon)
  }

  #accept(first: Batch | undefined, pending: Promise<Batch | undefined> | undefined): void {
    this.#stopWaiting()
    this.#answer.giveBack(first, pending)
    this.end(Future.succeed(this.#answer))
  }

  #refuse(
    { failure, rests, said, trouble }: Extract<GenerationEvent, { readonly type: "failed" }>,
    retry = retryOf(failure, trouble)
  ): void {
    this.#stopWaiting()
    this.#answer.cancel()
    if (retry === undefined) return this.end(Future.fail(failure))
    const { upstreamRequestId } = this.#answer
    const { headers, status } = this.#exchange
    this.end(
      Future.fail(
        new UpstreamError({
          failure,
          retry,
          retryAfterMs: retryAfter(headers) ?? delayIn(failure),
          status,
          trouble,
          rests,
          upstreamRequestId,
          said
        })
      )
    )
  }
}

/** Undefined if the failure is not the upstream's. */
const retryOf = (failure: Failure, trouble: UpstreamTrouble | undefined): UpstreamError["retry"] | undefined => {
  if (failure._tag === "InvalidRequest") return failure.reason === undefined ? "never" : "elsewhere"
  if (failure._tag !== "RateLimited" && failure._tag !== "UpstreamFailed") return undefined
  return trouble === "empty-account" || trouble === "refused-key" ? "elsewhere" : "again"
}

const isStart = ({ type }: GenerationEvent): boolean => type === "started"

/** True for events that announce an answer but have none of its content. */
const isBeginning = (event: GenerationEvent): boolean =>
  event.type === "started" ||
  event.type === "usage" ||
  (event.type === "passthrough" && !event.terminal && event.isBeginning === true)
