import { Cause, Exit, Option, Runtime } from "effect"
import { Internal } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import { answerTexts } from "./answerTexts.ts"
import type { Replaced } from "./answerTexts.ts"
import { look } from "./Guards.ts"
import type { GuardedRequest } from "./Guards.ts"
import type { Restorer } from "./restorer.ts"

export interface Guarding {
  readonly runtime: Runtime.Runtime<never>
  readonly request: GuardedRequest
  /** Absent if the request has no placeholders. */
  readonly restore: Restorer | undefined
  /** True if a guardrail looks at the answer. */
  readonly looksOut: boolean
  readonly stream: boolean
}

/** A generation whose texts are held back until guardrails have looked at them. */
export class GuardedGeneration extends WrappedGeneration {
  readonly #guarding: Guarding
  readonly #guarded: Replaced = { text: false, reasoning: false }
  readonly #restored: Replaced = { text: false, reasoning: false }
  #isOver = false

  constructor(inner: Generation, guarding: Guarding) {
    super(inner)
    this.#guarding = guarding
  }

  override async next(): Promise<Batch | undefined> {
    const held: Array<GenerationEvent> = []
    while (!this.#isOver) {
      const batch = await this.inner.next()
      if (this.#isOver || batch === undefined) return undefined
      held.push(...batch)
      const last = batch.at(-1)
      if (last?.type === "failed") return this.#end([last])
      if (last?.type === "finished") return this.#end(await this.#looked(held))
    }
    return undefined
  }

  override cancel(how?: GenerationEnding): void {
    this.#isOver = true
    this.inner.cancel(how)
  }

  #end(batch: Batch): Batch {
    this.#isOver = true
    return batch
  }

  async #looked(held: ReadonlyArray<GenerationEvent>): Promise<Batch> {
    const { looksOut, request, restore, runtime } = this.#guarding
    let events = held
    if (looksOut) {
      const found = answerTexts(events, this.#guarded)
      const seen = found.texts.filter(({ text }) => text !== "")
      const exit = await Runtime.runPromiseExit(runtime)(
        look(
          request,
          "output",
          seen.map(({ at, text }) => ({ at, text }))
        )
      )
      if (Exit.isFailure(exit)) return [failedWith(exit.cause)]
      for (const [index, one] of seen.entries()) one.put(exit.value.texts[index] ?? one.text)
      events = found.events()
    }
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

const failedWith = (cause: Cause.Cause<Failure>): GenerationEvent => ({
  type: "failed",
  failure: Option.getOrElse(Cause.failureOption(cause), () => new Internal({}))
})
