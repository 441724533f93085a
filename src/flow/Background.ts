import { Context } from "effect"

/** Which daemons of a gateway run. */
export type BackgroundWork = "all" | "tasks" | "none"

/** Daemons that write what requests hand over, or keep a connection. They wait for work and always run. */
const always = new Set([
  "books",
  "commits",
  "database.lock",
  "declaredKeys",
  "limits.redis",
  "notices.listen",
  "notices.tell",
  "reload",
  "requestBodies",
  "requests",
  "traces",
  "usage",
  "usage unheld"
])

/** Daemons that carry tasks from their creation to their callback and their removal. */
const ofTasks = new Set([
  "callbacks",
  "callbacks.look",
  "tasks.cancelRequests",
  "tasks.claims",
  "tasks.expiry",
  "tasks.renewals",
  "tasks.retention"
])

/**
 * Which daemons run: all, those of tasks, or none of those that wake by the clock. With fewer of them a test that
 * adjusts the clock by hours takes seconds.
 */
export class Background extends Context.Reference<Background>()("gateway/flow/Background", {
  defaultValue: (): BackgroundWork => "all"
}) {}

/** Says whether the daemon of this name runs. */
export const isRunning = (background: BackgroundWork, name: string): boolean =>
  background === "all" || always.has(name) || (background === "tasks" && ofTasks.has(name))
