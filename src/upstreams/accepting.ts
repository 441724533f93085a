import { Begun } from "../flow/Begun.ts"
import { clearDeadline, setDeadline } from "../flow/deadlines.ts"
import type { HasDeadline } from "../flow/deadlines.ts"
import { Underway } from "../flow/Underway.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import type { Exchange } from "./client.ts"
import type { Answer } from "./generationOf.ts"
import type { GenerateOptions } from "./Upstream.ts"
import { ourAccount, retryAfter, withoutSecrets } from "./refusal.ts"
import { UpstreamError } from "./UpstreamError.ts"

/**
 * How long a beginning that says nothing yet is held back, in ms. What fails behind it may still be answered by others
 * where there are any; where there are none, only what comes right behind it is worth waiting for: the call may be made
 * again, but no first event waits for a second.
 */
const beginningMs = { withOthers: 1_000, alone: 2 }

/**
 * Accepts an answer with its first words. A 200 is no answer yet: what fails before them (an error in the first frame, a
 * page, nothing at all) is a refused call like any other, which the next route may answer.
 *
 * @param secrets what must not stand in a log
 */
export const accepting = (
  answer: Answer,
  exchange: Exchange,
  secrets: ReadonlyArray<string>,
  how: Pick<GenerateOptions, "hasOthers">
): Begun<Generation, Failure | UpstreamError> => new Accepting(answer, exchange, secrets, how)

class Accepting extends Underway<Generation, Failure | UpstreamError> implements HasDeadline {
  deadlinePlace = -1
  readonly #answer: Answer
  readonly #exchange: Exchange
  readonly #secrets: ReadonlyArray<string>
  readonly #hasOthers: boolean
  #beginning: Batch = []
  #pending: Promise<Batch | undefined> | undefined

  constructor(
    answer: Answer,
    exchange: Exchange,
    secrets: ReadonlyArray<string>,
    { hasOthers = false }: Pick<GenerateOptions, "hasOthers">
  ) {
    super()
    this.#hasOthers = hasOthers
    this.#answer = answer
    this.#exchange = exchange
    this.#secrets = secrets
    this.#listen()
  }

  look(): number {
    this.#accept(this.#beginning, this.#pending)
    return Infinity
  }

  protected override abandon(): void {
    clearDeadline(this)
    this.#answer.cancel()
  }

  #listen(): void {
    const next = this.#answer.next()
    if (!(next instanceof Promise)) return this.#heard(next)
    this.#pending = next
    void next.then((batch) => this.#heard(batch))
  }

  #heard(batch: Batch | undefined): void {
    if (this.settled !== undefined) return
    const last = batch?.at(-1)
    if (last?.type === "failed") return this.#refuse(last)
    const all = this.#beginning.length === 0 ? (batch ?? []) : [...this.#beginning, ...(batch ?? [])]
    if (batch === undefined || !batch.every(isBeginning)) {
      return this.#accept(all.length === 0 ? undefined : all, undefined)
    }
    if (this.#beginning.length === 0) setDeadline(this, this.#hasOthers ? beginningMs.withOthers : beginningMs.alone)
    this.#beginning = all
    this.#listen()
  }

  #accept(first: Batch | undefined, pending: Promise<Batch | undefined> | undefined): void {
    clearDeadline(this)
    this.#answer.giveBack(first, pending)
    this.end(Begun.succeed(this.#answer))
  }

  #refuse({ failure, said }: Extract<GenerationEvent, { readonly type: "failed" }>): void {
    clearDeadline(this)
    this.#answer.cancel()
    const retry = retryOf(failure, said)
    if (retry === undefined) return this.end(Begun.fail(failure))
    const { upstreamRequestId } = this.#answer
    const { headers, status } = this.#exchange
    this.end(
      Begun.fail(
        new UpstreamError({
          failure,
          retry,
          retryAfterMs: retryAfter(headers),
          status,
          upstreamRequestId,
          said: said === undefined ? undefined : withoutSecrets(said, this.#secrets)
        })
      )
    )
  }
}

/** Undefined is no failure of the upstream's. */
const retryOf = (failure: Failure, said: string | undefined): UpstreamError["retry"] | undefined => {
  if (failure._tag === "InvalidRequest") return "never"
  if (failure._tag !== "RateLimited" && failure._tag !== "UpstreamFailed") return undefined
  return said !== undefined && ourAccount.test(said) ? "elsewhere" : "again"
}

/** Says no more than that there will be an answer. */
const isBeginning = (event: GenerationEvent): boolean =>
  event.type === "started" ||
  event.type === "usage" ||
  (event.type === "native" && !event.terminal && event.isBeginning === true)
