import { describe, expect, inject, it } from "@effect/vitest"
import { Effect } from "effect"
import { engines } from "./engines.ts"

describe.runIf(inject("postgres") !== undefined)("a database that a test has left", () => {
  it.effect("has another address in the next one: what a failed test leaves running does not find it", () =>
    Effect.gen(function* () {
      const postgres = engines.find(({ name }) => name === "postgres")
      if (postgres === undefined) return
      const address = Effect.scoped(postgres.url)
      expect(yield* address).not.toBe(yield* address)
    })
  )
})
