import { Context } from "effect"
import type { Snapshot } from "./Snapshot.ts"

/** The processes that serve one port together. */
export interface CountedTogether {
  /** Says what this process answers when it is asked what it counts. */
  readonly answering: (own: () => Snapshot) => void
  /** What all of them count, this one included; of one that does not answer, what it said last. */
  readonly all: () => Promise<ReadonlyArray<Snapshot>>
}

/** Those of which this process is one; undefined where it serves alone. */
export class Workers extends Context.Reference<Workers>()("gateway/telemetry/Workers", {
  defaultValue: (): CountedTogether | undefined => undefined
}) {}
