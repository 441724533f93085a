import type { GenerationEvent } from "./GenerationEvent.ts"

/** A family's encoder: a pure machine from events to the frames of its dialect. */
export interface Machine<S, F extends Frame> {
  readonly initial: S
  readonly step: (state: S, event: GenerationEvent) => readonly [S, ReadonlyArray<F>]
}

/** One server-sent event; its name is the `type` of its data. */
export interface Frame {
  readonly type: string
}

/** Frames that are written already, as text or in UTF-8. */
export interface PassthroughFrame extends Frame {
  readonly type: "passthrough"
  readonly written: string | Uint8Array
}
