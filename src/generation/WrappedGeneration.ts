import type { Batch, Generation, GenerationEnding } from "./Generation.ts"

type Noted = Batch | undefined | Promise<Batch | undefined>

/** A generation around another one. Subclasses override what they change. */
export abstract class WrappedGeneration implements Generation {
  declare readonly passthrough?: true
  declare readonly adapted?: ReadonlyArray<string>
  declare readonly replyHeaders?: Readonly<Record<string, string>>
  declare readonly upstreamRequestId?: string
  protected inner: Generation
  /** The batch that was awaited last. */
  protected pending: Promise<Batch | undefined> | undefined
  /** Made once, not for every chunk. */
  #noting: ((batch: Batch | undefined) => Noted) | undefined

  constructor(inner: Generation) {
    this.inner = inner
    if (inner.passthrough !== undefined) this.passthrough = inner.passthrough
    if (inner.adapted !== undefined) this.adapted = inner.adapted
    if (inner.replyHeaders !== undefined) this.replyHeaders = inner.replyHeaders
    if (inner.upstreamRequestId !== undefined) this.upstreamRequestId = inner.upstreamRequestId
  }

  /** Inspects a batch. Returns the batch to pass on. */
  protected note?(batch: Batch | undefined): Noted

  next(): ReturnType<Generation["next"]> {
    const next = this.inner.next()
    if (this.note === undefined) return next
    if (!(next instanceof Promise)) return this.note(next)
    return (this.pending = next.then((this.#noting ??= this.note.bind(this))))
  }

  cancel(how?: GenerationEnding): void {
    this.inner.cancel(how)
  }

  settled(): Promise<void> | undefined {
    return this.inner.settled?.()
  }
}
