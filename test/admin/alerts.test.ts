import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Problem } from "../../src/admin/attention/Problem.ts"
import { Alerts, goneMs } from "../../src/admin/store/Alerts.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { makeMetrics, Metrics } from "../../src/telemetry/Metrics.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const problem = (name: string, message = name): Problem => ({
  level: "warning",
  what: "upstream",
  id: name,
  message,
  action: "",
  page: null,
  name: `upstream:${name}`,
  isAlert: true
})
const url = "http://10.0.0.1/alerts"

describeOnEach("the raised alerts", () => {
  const world = Alerts.Default.pipe(
    Layer.provideMerge(Commits.Default),
    Layer.provide(Layer.sync(Metrics, makeMetrics)),
    Layer.provideMerge(database())
  )
  const told = (changes: Effect.Effect.Success<ReturnType<Alerts["tell"]>>) => ({
    raised: changes.raised.map(({ message }) => message),
    resolved: changes.resolved.map(({ message }) => message)
  })
  const deliveries = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ status: string; body: string }>`SELECT status, body FROM deliveries ORDER BY changed_at, status`
  )

  it.scoped("are one for each state, whichever nodes see it, until none has seen it for a while", () =>
    Effect.gen(function* () {
      const { tell } = yield* Alerts
      const look = (nowMs: number, ...problems: ReadonlyArray<Problem>) => Effect.map(tell(problems, nowMs, url), told)
      const nothing = { raised: [], resolved: [] }
      expect(yield* look(0)).toEqual(nothing)
      const both = yield* Effect.all([look(1_000, problem("a")), look(1_000, problem("a"))], { concurrency: 2 })
      expect(both.flatMap(({ raised }) => raised)).toEqual(["a"])
      // Other words of the same state, and a node that does not see it.
      expect(yield* look(2_000, problem("a", "a, 20 s"), problem("b"))).toEqual({ raised: ["b"], resolved: [] })
      expect(yield* look(3_000)).toEqual(nothing)
      expect(yield* look(2_000 + goneMs - 1, problem("b"))).toEqual(nothing)
      expect(yield* look(2_000 + goneMs, problem("b"))).toEqual({ raised: [], resolved: ["a"] })
      expect(yield* look(3_000 + goneMs, problem("a"), problem("b"))).toEqual({ raised: ["a"], resolved: [] })
      const sent = (yield* deliveries).map(({ body, status }) => [status, JSON.parse(body).data.target])
      expect(sent).toEqual([
        ["raised", "a"],
        ["raised", "b"],
        ["resolved", "a"],
        ["raised", "a"]
      ])
    }).pipe(Effect.provide(world))
  )

  it.scoped("last while a worse state has taken their place", () =>
    Effect.gen(function* () {
      const { tell } = yield* Alerts
      const look = (nowMs: number, ...problems: ReadonlyArray<Problem>) => Effect.map(tell(problems, nowMs, url), told)
      const [some, all] = [problem("80 %"), { ...problem("100 %"), lesser: ["upstream:80 %"] }]
      expect((yield* look(0, some)).raised).toEqual(["80 %"])
      expect(yield* look(goneMs, all)).toEqual({ raised: ["100 %"], resolved: [] })
      expect(yield* look(2 * goneMs, all)).toEqual({ raised: [], resolved: [] })
      // In no order of their own: both are over at the same time.
      expect((yield* look(3 * goneMs)).resolved.toSorted()).toEqual(["100 %", "80 %"])
    }).pipe(Effect.provide(world))
  )

  it.scoped("are kept without a webhook, which gets none of them later", () =>
    Effect.gen(function* () {
      const { tell } = yield* Alerts
      expect(told(yield* tell([problem("a")], 0, undefined)).raised).toEqual(["a"])
      expect(told(yield* tell([problem("a")], 1, url)).raised).toEqual([])
      expect(yield* deliveries).toEqual([])
    }).pipe(Effect.provide(world))
  )
})
