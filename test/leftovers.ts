import { it } from "@effect/vitest"
import { afterAll, vi } from "vitest"
import { clearDeadline, setDeadline } from "../src/flow/deadlines.ts"
import type { HasDeadline } from "../src/flow/deadlines.ts"

/*
 * Files of one worker share its process: modules of `test` are evaluated for each of them, and each leaves the variables,
 * the clock and `fetch` as it found them.
 */

vi.resetModules()

/** `it.layer` replaces `it.effect` of all files: the next ones would run on its Layer, and on its clock. */
const methods = { ...it }
const variables = { ...process.env }
const { fetch } = globalThis
/** Sets the process's timer of all streams anew: a file with fake timers may have taken it. */
const rearm = () => {
  const now: HasDeadline = {
    deadlinePlace: -1,
    look: () => {
      clearDeadline(now)
      return Infinity
    }
  }
  setDeadline(now, -Infinity)
}

afterAll(() => {
  Object.assign(it, methods)
  vi.useRealTimers()
  vi.restoreAllMocks()
  rearm()
  vi.unstubAllGlobals()
  vi.resetConfig()
  globalThis.fetch = fetch
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
  Object.assign(process.env, variables)
})
