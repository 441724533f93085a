import type { Source } from "../../src/credentials/Source.ts"

/** A test's environment of the programs that find credentials. */
export const sourceOf = (env: Readonly<Record<string, string>> = {}): Source => ({
  env: { ...env },
  fetch,
  fetchLocally: fetch,
  now: Date.now
})
