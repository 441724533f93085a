import { Context, Effect } from "effect"

/** The moments at which the death of the process is hardest: between a durable step and the next thing that counts. */
export type CrashPoint =
  /** A worker has the task and did nothing yet. */
  | "claimed"
  /** The intent to submit is durable, the upstream knows nothing. */
  | "intended"
  /** The upstream has answered a submit, its id is not stored. */
  | "submitted"
  /** The upstream's id is durable. */
  | "recorded"
  /** The upstream has answered a poll, nothing of it is stored. */
  | "polled"
  /** A change of state is written with its callback, and not committed. */
  | "writing"
  /** The turn is durable. */
  | "settled"

/** The points at which the fault tests kill the process. In production nothing happens at any of them. */
export class CrashPoints extends Context.Reference<CrashPoints>()("gateway/tasks/CrashPoints", {
  defaultValue: (): { readonly at: (point: CrashPoint) => Effect.Effect<void> } => ({ at: () => Effect.void })
}) {}
