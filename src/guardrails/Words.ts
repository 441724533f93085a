import { Effect } from "effect"
import { restorer } from "./restorer.ts"
import type { Restorer } from "./restorer.ts"

type Placeholders = Readonly<Record<string, string>>

/** The words of a request by the placeholders that stand for them. */
export class Words {
  #placeholders: Placeholders = {}
  /** Calls of tools are looked at one after another: two at once would choose the same placeholder for two words. */
  readonly inTurn = Effect.unsafeMakeSemaphore(1).withPermits(1)
  /** Undefined while there are no placeholders. */
  restorer: Restorer | undefined

  get placeholders(): Placeholders {
    return this.#placeholders
  }

  /** False if one of them stands for another word already. */
  agreesWith(placeholders: Placeholders = {}): boolean {
    const known = this.#placeholders
    return Object.entries(placeholders).every(([name, word]) => !Object.hasOwn(known, name) || known[name] === word)
  }

  add(placeholders: Placeholders = {}): void {
    if (Object.keys(placeholders).length === 0) return
    this.#placeholders = { ...this.#placeholders, ...placeholders }
    this.restorer = restorer(this.#placeholders)
  }
}
