import { ptr } from "bun:ffi"
import { readdirSync, readFileSync } from "node:fs"
import { libc } from "../flow/libc.ts"

/** What Bun calls the thread that talks to upstreams. */
const clientThread = "HTTP Client"
/** Linux's policy of the same share of a core, but for threads that push nobody aside when they wake. */
const schedBatch = 3

let isSettled = false

/**
 * Bun talks to upstreams on a thread of its own, which every call wakes. Where it shares a core with the main thread it
 * pushes that aside each time, sends one request and sleeps again; so it is told not to: then it comes when the main thread
 * has nothing left to do, and sends all that there is at once. On one core that is a sixth of what a passed-through
 * request costs; where a core is free it runs there at once, as before. To be called when there is such a thread; what the
 * system does not allow stays as it is.
 */
export const letCallsGather = (): void => {
  if (isSettled) return
  isSettled = true
  setImmediate(() => {
    const system = libc({ sched_setscheduler: { args: ["i32", "i32", "ptr"], returns: "i32" } })
    if (system === undefined) return
    for (const thread of threadsOf(clientThread)) system.sched_setscheduler(thread, schedBatch, ptr(new Int32Array(1)))
  })
}

/** This process's own of a name. */
export const threadsOf = (name: string): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc/self/task")
      .filter((thread) => readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim() === name)
      .map(Number)
  } catch {
    return []
  }
}
