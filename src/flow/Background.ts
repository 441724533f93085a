import { Context } from "effect"

/** The daemons that a gateway runs. */
export type BackgroundWork = "all" | "tasks" | "none"

/** Daemons that write for requests or keep a connection. They wait for work and always run. */
const always = new Set([
  "books",
  "commits",
  "database.lock",
  "declaredKeys",
  "guardrails.audit",
  "limits.redis",
  "logs",
  "notices.listen",
  "notices.tell",
  "reasoningSignatures",
  "reload",
  "requestBodies",
  "requests",
  "responses",
  "threads",
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
 * Selects the daemons that run: all, those of tasks, or none of those that wake by the clock. With fewer of them, a
 * test that moves the clock by hours takes seconds.
 */
export class Background extends Context.Reference<Background>()("gateway/flow/Background", {
  defaultValue: (): BackgroundWork => "all"
}) {}

/** True if the daemon of this name runs. */
export const isRunning = (background: BackgroundWork, name: string): boolean =>
  background === "all" || always.has(name) || (background === "tasks" && ofTasks.has(name))
