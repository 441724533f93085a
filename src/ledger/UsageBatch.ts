import { Internal } from "../contract/Failure.ts"
import type { UsageRow } from "./store/usageRows.ts"

export interface Entry {
  readonly row: UsageRow
  /** Runs where the row could not be written; undefined: it is tried again until it can. */
  readonly lost: (() => void) | undefined
}

/** Rows that share a commit, and who waits for it. */
export class UsageBatch {
  readonly entries: Array<Entry>
  isStored = false
  readonly #written: PromiseWithResolvers<void>

  constructor() {
    this.entries = []
    this.#written = Promise.withResolvers()
    // Nobody need be listening when it fails.
    this.#written.promise.catch(() => {})
  }

  /** Of everything in it, whether or not it still is. */
  get written(): Promise<void> {
    return this.#written.promise
  }

  get rows(): ReadonlyArray<UsageRow> {
    return this.entries.map(({ row }) => row)
  }

  stored(): void {
    this.isStored = true
    this.#written.resolve()
  }

  failed(): void {
    this.#written.reject(new Internal({ message: "Internal error: the usage could not be stored" }))
  }
}

/** From so many rows a commit on so many come that the next ones are waited for longer: half of what a row costs is its commit. */
const many = 4

/**
 * Before its end the next commit that somebody waits for begins only where nobody could join it: a busy gateway spends a
 * tenth of its time on commits at most, a very busy one less, and an idle one keeps nobody waiting.
 */
export class Pause {
  readonly #longest: number
  #end = 0

  /** @param longest in ms */
  constructor(longest: number) {
    this.#longest = longest
  }

  /** In ms; 0 or less where it is over. */
  get left(): number {
    return this.#end - performance.now()
  }

  /** Begins it after a commit of so many rows that took so long. */
  after(tookMs: number, rows: number): void {
    this.#end = performance.now() + Math.min(this.#longest, (rows < many ? 9 : 30) * tookMs)
  }
}
