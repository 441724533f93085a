import { Cause, Exit, Option, Runtime } from "effect"
import { Internal } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import { answerTexts } from "./answerTexts.ts"
import type { Replaced } from "./answerTexts.ts"
import { isOpen, sentencesOf, splitHeld, wordsOf } from "./heldEvents.ts"
import type { Cut } from "./heldEvents.ts"
import { look, looksAt } from "./Guards.ts"
import type { GuardedRequest } from "./Guards.ts"

export interface Guarding {
  readonly runtime: Runtime.Runtime<never>
  readonly request: GuardedRequest
  /** True if a guardrail looks at the answer. */
  readonly looksOut: boolean
  readonly stream: boolean
}

/**
 * A generation whose texts are held back until guardrails have looked at them: all of a whole answer, sentence by sentence
 * in a stream. A stream's sentence without an end is cut after half of `hold_ms`, and the guardrails have the other half.
 */
export class GuardedGeneration extends WrappedGeneration {
  readonly #guarding: Guarding
  readonly #holdMs: number
  readonly #guarded: Replaced = { text: false, reasoning: false }
  readonly #restored: Replaced = { text: false, reasoning: false }
  #held: ReadonlyArray<GenerationEvent> = []
  /** The time since which an open text is held back; undefined while there is none. */
  #heldSinceMs: number | undefined
  #pull: Promise<Batch | undefined> | undefined
  #isOver = false

  constructor(inner: Generation, guarding: Guarding) {
    super(inner)
    this.#guarding = guarding
    this.#holdMs = guarding.looksOut && guarding.stream ? holdMsOf(guarding.request) : Infinity
  }

  override async next(): Promise<Batch | undefined> {
    while (!this.#isOver) {
      const batch = await this.#more()
      if (this.#isOver) return undefined
      if (batch === undefined) return this.#end(undefined)
      const events = batch === due ? this.#held : [...this.#held, ...batch]
      const last = events.at(-1)
      if (last?.type === "failed") return this.#end([last])
      if (last?.type === "finished") return this.#end(await this.#looked(events))
      if (!this.#guarding.stream) {
        this.#held = events
        continue
      }
      const { held, ready } = splitHeld(events, batch === due ? this.#cutWords : this.#cutSentences)
      this.#held = held
      if (ready.length === 0) {
        // A text that has no whole word at its time waits for the next piece.
        this.#heldSinceMs = batch === due || !isOpen(held) ? undefined : (this.#heldSinceMs ?? performance.now())
        continue
      }
      const sent = await this.#looked(ready)
      this.#heldSinceMs = isOpen(held) ? performance.now() : undefined
      if (this.#isOver) return undefined
      if (sent.at(-1)?.type === "failed") {
        // The caller pays for what was written so far.
        this.inner.cancel("hang-up")
        return this.#end(sent)
      }
      if (sent.length > 0) return sent
    }
    return undefined
  }

  override cancel(how?: GenerationEnding): void {
    this.#isOver = true
    this.inner.cancel(how)
  }

  #end(batch: Batch | undefined): Batch | undefined {
    this.#isOver = true
    return batch
  }

  /** The next events, or `due` once an open text was held back for long enough. */
  async #more(): Promise<Batch | undefined | typeof due> {
    const pull = (this.#pull ??= Promise.resolve(this.inner.next()))
    const since = this.#heldSinceMs
    const timer = Promise.withResolvers<typeof due>()
    const leftMs = since === undefined ? Infinity : since + this.#holdMs / 2 - performance.now()
    const waiting = Number.isFinite(leftMs) ? setTimeout(() => timer.resolve(due), Math.max(0, leftMs)) : undefined
    const came = await Promise.race([pull, timer.promise])
    clearTimeout(waiting)
    if (came !== due) this.#pull = undefined
    return came
  }

  readonly #cutSentences: Cut = (text, type) =>
    this.#settled(this.#guarding.looksOut ? sentencesOf(text) : text.length, text, type)
  readonly #cutWords: Cut = (text, type) => this.#settled(wordsOf(text), text, type)

  /** No cut goes through a placeholder. */
  #settled(length: number, text: string, type: Parameters<Cut>[1]): number {
    const { restorer: restore } = this.#guarding.request.words
    return restore === undefined || type === "reasoning-delta" ? length : restore.settled(text.slice(0, length))
  }

  /** The time that the guardrails have, of which texts that weren't cut by time get all. */
  #leftMs(): number {
    const since = this.#heldSinceMs
    return since === undefined ? this.#holdMs : Math.max(this.#holdMs / 2, since + this.#holdMs - performance.now())
  }

  async #looked(held: ReadonlyArray<GenerationEvent>): Promise<Batch> {
    const { looksOut, request, runtime } = this.#guarding
    let events = held
    if (events.some(({ type }) => type === "passthrough"))
      return [failedWith(Cause.die("an answer passed a guardrail by"))]
    if (looksOut) {
      const found = answerTexts(events.map(withoutLogprobs), this.#guarded)
      const seen = found.texts.filter(({ text }) => text !== "")
      const texts = seen.map(({ at, text }) => ({ at, text }))
      const exit = await Runtime.runPromiseExit(runtime)(look(request, "output", texts, this.#leftMs()))
      if (Exit.isFailure(exit)) return [failedWith(exit.cause)]
      for (const [index, one] of seen.entries()) one.put(exit.value[index] ?? one.text)
      events = found.events()
    }
    const { restorer: restore } = request.words
    if (restore !== undefined) {
      const found = answerTexts(events, this.#restored)
      for (const { at, isJson, put, text } of found.texts) {
        // The signature of reasoning is that of its words.
        if (at !== "reasoning") put(restore.whole(text, isJson))
      }
      events = found.events()
    }
    return events
  }
}

/** Likely other tokens are words that no guardrail has seen. */
const withoutLogprobs = (event: GenerationEvent): GenerationEvent =>
  event.type === "text-delta" && event.logprobs !== undefined ? { type: "text-delta", text: event.text } : event

const due = "due"

/** The shortest of the times for which the guardrails let a text be held back. */
const holdMsOf = ({ guards }: GuardedRequest): number =>
  Math.min(...guards.filter((guard) => looksAt(guard, "output")).map(({ entry }) => entry?.hold_ms ?? 2_000))

const failedWith = (cause: Cause.Cause<Failure>): GenerationEvent => ({
  type: "failed",
  failure: Option.getOrElse(Cause.failureOption(cause), () => new Internal({}))
})
