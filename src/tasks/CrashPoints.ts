import { Context, Effect } from "effect"

/** The critical moments for a crash: between a durable step and the next one. */
export type CrashPoint =
  /** A worker has claimed the task and done nothing yet. */
  | "claimed"
  /** The intent to submit is durable; the upstream has no request yet. */
  | "intended"
  /** The upstream has answered a submit; its id is not stored yet. */
  | "submitted"
  /** The upstream's id is durable. */
  | "recorded"
  /** The upstream has answered a poll; nothing is stored yet. */
  | "polled"
  /** A change of state and its callback are written but not committed. */
  | "writing"
  /** The end of the turn is durable. */
  | "settled"

/** The points at which fault tests kill the process. In production nothing happens at them. */
export class CrashPoints extends Context.Reference<CrashPoints>()("gateway/tasks/CrashPoints", {
  defaultValue: (): { readonly at: (point: CrashPoint) => Effect.Effect<void> } => ({ at: () => Effect.void })
}) {}
