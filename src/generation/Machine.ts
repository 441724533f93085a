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

/** Frames that are text already, passed through. */
export interface NativeFrame extends Frame {
  readonly type: "native"
  readonly text: string
}
