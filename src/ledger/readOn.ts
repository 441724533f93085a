import { clearDeadline, setDeadline } from "../flow/deadlines.ts"
import type { HasDeadline } from "../flow/deadlines.ts"
import { offShutdown, onShutdown } from "../flow/shutdown.ts"
import type { ShutdownListener } from "../flow/shutdown.ts"
import type { Batch, Generation } from "../generation/Generation.ts"

/** An upstream that tells nothing for this long has failed, in ms. */
const silentMs = 300_000

/**
 * Reads a generation to its end without its client, so that it is charged as the upstream tells. Shutdown cancels it.
 *
 * @param pending the batch that is awaited, if any
 */
export const readOn = (
  generation: Generation,
  pending: ReturnType<Generation["next"]>,
  shutdown: AbortSignal
): Promise<void> => new ReadingOn(generation, shutdown).toEnd(pending)

class ReadingOn implements HasDeadline, ShutdownListener {
  deadlinePlace = -1
  shutdownPlace = -1
  readonly #generation: Generation
  readonly #shutdown: AbortSignal
  #lastHeard = performance.now()

  constructor(generation: Generation, shutdown: AbortSignal) {
    this.#generation = generation
    this.#shutdown = shutdown
  }

  async toEnd(pending: ReturnType<Generation["next"]>): Promise<void> {
    onShutdown(this.#shutdown, this)
    setDeadline(this, silentMs)
    let batch = await (pending ?? this.#generation.next())
    while (batch !== undefined && !hasEnded(batch)) {
      this.#lastHeard = performance.now()
      batch = await this.#generation.next()
    }
    clearDeadline(this)
    offShutdown(this.#shutdown, this)
    this.#generation.cancel("finished")
  }

  handleEvent(): void {
    this.#generation.cancel("hang-up")
  }

  look(now: number): number {
    const due = this.#lastHeard + silentMs
    if (due > now) return due
    this.#generation.cancel("failed")
    return Infinity
  }
}

const hasEnded = (batch: Batch): boolean => batch.some(({ type }) => type === "finished" || type === "failed")
