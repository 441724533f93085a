import type { GenerationEvent } from "./GenerationEvent.ts"

/** A family's encoder: a pure state machine from events to frames of its dialect. */
export interface Machine<S, F extends Frame> {
  readonly initial: S
  readonly step: (state: S, event: GenerationEvent) => readonly [S, ReadonlyArray<F>]
}

/** One server-sent event, named after the `type` of its data. */
export interface Frame {
  readonly type: string
}

/** Frames already encoded, as text or in UTF-8. */
export interface PassthroughFrame extends Frame {
  readonly type: "passthrough"
  readonly written: string | Uint8Array
}
