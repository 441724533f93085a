import { afterAll, vi } from "vitest"

/*
 * Files of one worker share its process: modules of `test` are evaluated for each of them, and each leaves the variables,
 * the clock and `fetch` as it found them.
 */

vi.resetModules()

const variables = { ...process.env }
const { fetch } = globalThis

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.resetConfig()
  globalThis.fetch = fetch
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
  Object.assign(process.env, variables)
})
