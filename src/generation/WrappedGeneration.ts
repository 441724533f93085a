import type { Batch, Generation, GenerationEnding } from "./Generation.ts"

/** A generation whose batches a subclass inspects before they are passed on. */
export abstract class WrappedGeneration implements Generation {
  declare readonly passthrough?: true
  declare readonly adapted?: ReadonlyArray<string>
  declare readonly upstreamRequestId?: string
  readonly #inner: Generation

  constructor(inner: Generation) {
    this.#inner = inner
    if (inner.passthrough !== undefined) this.passthrough = inner.passthrough
    if (inner.adapted !== undefined) this.adapted = inner.adapted
    if (inner.upstreamRequestId !== undefined) this.upstreamRequestId = inner.upstreamRequestId
  }

  /** Inspects a batch. Returns the batch to pass on. */
  protected abstract note(batch: Batch | undefined): Batch | undefined | Promise<Batch | undefined>

  next(): ReturnType<Generation["next"]> {
    const next = this.#inner.next()
    return next instanceof Promise ? next.then((batch) => this.note(batch)) : this.note(next)
  }

  cancel(how?: GenerationEnding): void {
    this.#inner.cancel(how)
  }

  settled(): Promise<void> | undefined {
    return this.#inner.settled?.()
  }
}
