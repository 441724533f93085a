import { Context } from "effect"
import type { Snapshot } from "./Snapshot.ts"

/** Combines the metrics of the processes that share a port. */
export interface CountedTogether {
  /** Registers this process's snapshot for the others. */
  readonly answering: (own: () => Snapshot) => void
  /** The snapshots of all processes, including this one; the last known one of a process that does not answer. */
  readonly all: () => Promise<ReadonlyArray<Snapshot>>
}

/** Undefined if this process serves alone. */
export class Workers extends Context.Reference<Workers>()("gateway/telemetry/Workers", {
  defaultValue: (): CountedTogether | undefined => undefined
}) {}
