import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Background, isRunning } from "../../src/flow/Background.ts"
import { daemon } from "../../src/flow/daemon.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { backoff } from "../../src/flow/schedules.ts"
import { readSources } from "../imports/imports.ts"

const names = async () => {
  const sources = await readSources(join(import.meta.dirname, "../../src"))
  return [...sources.values()].flatMap((source) =>
    [
      ...source.matchAll(/\b(?:daemon|makeBatchWriter|makeGather)\(\s*"([\w. ]+)"/g),
      // Exports have one queue each, of one function.
      ...source.matchAll(/\bname: "(\w+)",\s+noun:/g)
    ].map(([, name = ""]) => name)
  )
}

it("none leaves daemons that write what requests hand over, tasks those of tasks too", async () => {
  const all = (await names()).toSorted()
  const writers = all.filter((name) => isRunning("none", name))
  expect(writers).toEqual([
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
  expect(all.filter((name) => isRunning("tasks", name) && !writers.includes(name))).toEqual([
    "callbacks",
    "callbacks.look",
    "tasks.cancelRequests",
    "tasks.claims",
    "tasks.expiry",
    "tasks.renewals",
    "tasks.retention"
  ])
  expect(all.every((name) => isRunning("all", name))).toBe(true)
})

it.scoped("a daemon that is left out never runs, and readiness does not know it", () =>
  Effect.gen(function* () {
    let runs = 0
    const pass = Effect.sync(() => {
      runs++
      return Effect.sleep("1 second")
    })
    yield* daemon("feed", pass, backoff)
    yield* daemon("tasks.claims", pass, backoff)
    yield* TestClock.adjust("500 millis")
    expect(runs).toBe(1)
    expect([...(yield* Daemons).all()].map(({ name }) => name)).toEqual(["tasks.claims"])
  }).pipe(Effect.provideService(Background, "tasks"), Effect.provide(Daemons.Default))
)
