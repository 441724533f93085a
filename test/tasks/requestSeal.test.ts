import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { MasterSecret } from "../../src/access/MasterSecret.ts"
import { RequestSeal } from "../../src/tasks/RequestSeal.ts"

const secretOf = (fill: number) => MasterSecret.Test({ derive: () => Redacted.make(new Uint8Array(32).fill(fill)) })
const under = (fill: number) => Effect.provide(RequestSeal, RequestSeal.Default.pipe(Layer.provide(secretOf(fill))))

const request = { body: { tools: [{ authorization: "planted-authorization" }] } }
/** Of several pieces, with pairs of surrogates at every place where it may be cut. */
const large = { text: `x${"😀".repeat(450_000)}` }

const words = (exit: Exit.Exit<unknown>) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "opened")

describe("a task's stored request", () => {
  it.effect("opens for its task, and shows nothing until then", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* under(1)
      for (const one of [request, large, null, "a text"]) {
        const sealed = yield* seal("task_a", one)
        expect(sealed).toMatch(/^sealed:[\w.-]+$/)
        expect(yield* open("task_a", sealed)).toEqual(one)
      }
      expect(yield* seal("task_a", request)).not.toBe(yield* seal("task_a", request))
    })
  )

  it.effect("opens for no other task and under no other secret, and not if it was changed", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* under(1)
      const other = yield* under(2)
      const sealed = yield* seal("task_a", request)
      const pieces = (yield* seal("task_a", large)).slice("sealed:".length).split(".")
      expect(pieces.length).toBe(4)
      // Still JSON, without the checks of places.
      const swapped = `sealed:${[pieces[0], pieces[2], pieces[1], pieces[3]].join(".")}`
      const shorter = `sealed:${[pieces[0], pieces[1], pieces[3]].join(".")}`
      const exits = yield* Effect.all([
        Effect.exit(open("task_b", sealed)),
        Effect.exit(other.open("task_a", sealed)),
        Effect.exit(open("task_a", `${sealed.slice(0, -2)}AA`)),
        Effect.exit(open("task_a", swapped)),
        Effect.exit(open("task_a", shorter))
      ])
      for (const exit of exits) expect(words(exit)).toContain("was GATEWAY_SECRET changed?")
    })
  )

  it.effect("that an older gateway stored is read as it is; one that is no JSON is not repeated", () =>
    Effect.gen(function* () {
      const { open } = yield* under(1)
      expect(yield* open("task_a", JSON.stringify(request))).toEqual(request)
      const exit = yield* Effect.exit(open("task_a", `{"authorization": planted-authorization`))
      expect(words(exit)).toContain("can't be opened")
      expect(words(exit)).not.toContain("planted")
    })
  )
})
