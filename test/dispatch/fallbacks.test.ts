import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import * as fc from "fast-check"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import type { Model, ModelEntry } from "../../src/catalogue/Catalogue.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import { AccountId, Caller, KeyId } from "../../src/contract/callers/Caller.ts"
import { InvalidRequest, UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import { FallbackReason } from "../../src/contract/records/FallbackReason.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { Future } from "../../src/flow/Future.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Batch } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { fold } from "../../src/pipeline/fold.ts"
import type { TextUpstream } from "../../src/upstreams/Upstream.ts"
import { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"
import { incoming } from "../contract/incoming.ts"
import { conversation, said } from "../generation/conversations.ts"
import { caseCount } from "../caseCount.ts"
import { database, describeOnEach } from "../sql/engines.ts"

/** Output tokens of an answer, and the most that is asked for. */
const [used, most] = [3, 10]

const failing = (reason: FallbackReason) =>
  new UpstreamError({
    failure: reason === "failed" ? new UpstreamFailed({}) : new InvalidRequest({ param: null, reason }),
    retry: "elsewhere",
    retryAfterMs: undefined,
    status: reason === "failed" ? 503 : 400
  })

const asked: Array<string> = []
/** Models that fail for as long as they are in it. */
const down = new Set<string>()

/** What a model does is the beginning of its name. */
const upstream: TextUpstream = {
  name: "up",
  generate: (_, { runtime, upstreamModel }) => {
    asked.push(upstreamModel)
    const [does = ""] = upstreamModel.split("-")
    if (FallbackReason.literals.some((reason) => reason === does) || down.has(upstreamModel)) {
      return Future.fail(failing(FallbackReason.literals.find((reason) => reason === does) ?? "failed"))
    }
    if (does === "stalls") return runFuture(runtime, Effect.never)
    const end: Batch =
      does === "breaks"
        ? [{ type: "failed", failure: new UpstreamFailed({}) }]
        : [
            { type: "usage", usage: { ...noUsage, inputTokens: 1, outputTokens: used } },
            { type: "finished", reason: "stop", stopSequence: null }
          ]
    const batches: Array<Batch> = [[{ type: "text-delta", text: "one two three" }], end]
    return Future.succeed({ next: () => batches.shift(), cancel: () => {} })
  }
}

const catalogue = new Map<string, Model>()
const add = (id: string, routes: ReadonlyArray<readonly [string, number]>, more: Partial<ModelEntry> = {}) =>
  catalogue.set(
    id,
    servedModel({
      id,
      kind: "text",
      contextTokens: undefined,
      ownedBy: "test",
      routes: routes.map(([model, usd]) => ({ upstream: "up", model, price: fromUsd({ output: usd * 1_000_000 }) })),
      ...more
    })
  )

const live = () =>
  Layer.merge(Dispatch.Default, Grants.Default).pipe(
    Layer.provideMerge(Layer.merge(Ledger.Default, Limits.Default)),
    Layer.provideMerge(database()),
    Layer.provide(
      Layer.merge(Layer.succeed(Catalogue, catalogue), Layer.succeed(TextUpstreams, new Map([["up", upstream]])))
    )
  )

const ask = (caller: Caller, model: string, text = "count") =>
  Effect.gen(function* () {
    const { generate } = yield* Dispatch
    const request = incoming()
    const about = conversation({ model, items: [said("user", text)], maxOutputTokens: most })
    const end = yield* Effect.either(
      toEffect(() =>
        generate(caller, about, request, { stream: false }).flatMap((generation) =>
          fold({ generation, machine: { initial: 0, step: (n: number) => [n + 1, []] as const } })
        )
      )
    )
    return { end, headers: request.replyHeaders }
  })

const account = Effect.fnUntraced(function* (name: string, dollars: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO accounts (id, created_at) VALUES (${name}, 0)`
  yield* (yield* Grants).credit(AccountId.make(name), nanoUsd(dollars), "test")
})
const rowsOf = Effect.fnUntraced(function* (name: string) {
  const ledger = yield* Ledger
  yield* ledger.flush
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ model: string; cost: number | string }>`
    SELECT model, cost_nano_usd AS cost FROM usage WHERE account_id = ${name}`
  return { rows, balance: yield* ledger.balance(AccountId.make(name)) }
})

type Does = FallbackReason | "answers"
interface Case {
  readonly models: ReadonlyArray<{
    readonly routes: ReadonlyArray<{ readonly does: Does; readonly price: number }>
    /** For each reason, which of the later models answer. */
    readonly to: Readonly<Record<FallbackReason, ReadonlyArray<number>>>
    readonly isPermitted: boolean
  }>
  readonly dollars: number
}

const later = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 })
const cases: fc.Arbitrary<Case> = fc.record({
  models: fc.array(
    fc.record({
      routes: fc.array(
        fc.record({
          does: fc.constantFrom<Does>("answers", "too_long", "refused", "failed", "failed"),
          price: fc.integer({ min: 0, max: 6 })
        }),
        { minLength: 1, maxLength: 2 }
      ),
      to: fc.record({ too_long: later, refused: later, failed: later }),
      isPermitted: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) })
    }),
    { minLength: 1, maxLength: 5 }
  ),
  dollars: fc.integer({ min: 0, max: 70 })
})

/** The model and price that should answer with the reason to leave the first; undefined if none does. */
const expected = ({ dollars, models }: Case) => {
  const tried = new Set([0])
  let first: FallbackReason | undefined
  const at = (index: number): { readonly index: number; readonly price: number } | FallbackReason | undefined => {
    const affordable = models[index]?.routes.filter(({ price }) => most * price <= dollars) ?? []
    if (affordable.length === 0) return undefined
    const answers = affordable.find(({ does }) => does === "answers")
    if (answers !== undefined) return { index, price: answers.price }
    return affordable.map(({ does }) => does).find((does): does is FallbackReason => does !== "failed") ?? "failed"
  }
  let left: ReadonlyArray<number> = []
  let now = 0
  for (;;) {
    const found = at(now)
    if (typeof found === "object") return { ...found, reason: first }
    if (now === 0 && found === undefined) return undefined
    first ??= found
    const own = found === undefined ? [] : (models[now]?.to[found] ?? []).map((by) => now + by)
    left = [...own, ...left].filter((one) => models[one]?.isPermitted === true && !tried.has(one))
    const [next, ...others] = left
    if (next === undefined) return undefined
    tried.add(next)
    left = others
    now = next
  }
}

let made = 0

const answered = Effect.fnUntraced(function* (one: Case) {
  const name = `case-${++made}`
  for (const [index, { routes, to }] of one.models.entries()) {
    const names = (offsets: ReadonlyArray<number>) => offsets.map((by) => `${name}-${index + by}`)
    add(
      `${name}-${index}`,
      routes.map(({ does, price }, at) => [`${does}-${made}-${index}-${at}`, price] as const),
      { fallbacks: { too_long: names(to.too_long), refused: names(to.refused), failed: names(to.failed) } }
    )
  }
  yield* account(name, one.dollars)
  const models = one.models.flatMap(({ isPermitted }, index) =>
    index === 0 || isPermitted ? [`${name}-${index}`] : []
  )
  const caller = { ...Caller.unrestricted(name), key: KeyId.make(`key_${name}`), models }
  const { end, headers } = yield* ask(caller, `${name}-0`)
  const { balance, rows } = yield* rowsOf(name)
  expect(balance.held).toBe(0)
  expect(balance.settled).toBe(rows.reduce((sum, { cost }) => sum + Number(cost), 0))
  if (end._tag === "Left") {
    expect([rows, headers["x-gateway-fallback"]]).toEqual([[], undefined])
    return undefined
  }
  expect(rows.map(({ model }) => model)).toEqual([`${name}-0`])
  const model = asked.at(-1)?.split("-")
  return { index: Number(model?.[2]), nanoUsd: Number(rows[0]?.cost), reason: headers["x-gateway-fallback"] }
})

describeOnEach("a request that other models may answer", ({ name }) => {
  it.effect("is answered by the first that does, and paid for at its price", () =>
    Effect.gen(function* () {
      for (const one of fc.sample(cases, { numRuns: caseCount(name === "sqlite" ? 100 : 15) })) {
        const found = expected(one)
        const end = found && { index: found.index, nanoUsd: nanoUsd(used * found.price), reason: found.reason }
        expect({ one, end: yield* answered(one) }).toEqual({ one, end })
      }
    }).pipe(Effect.provide(live()))
  )
})

describe("a request whose model failed", () => {
  add("slow", [["failed-slow", 1]], { fallbacks: { failed: ["stalls"] } })
  add("stalls", [["stalls-1", 5]])
  add("breaks", [["breaks-1", 5]], { fallbacks: { failed: ["good"], refused: ["good"] } })
  add("good", [["answers-1", 1]])

  it.effect("and whose client leaves in between holds nothing any more, and pays nothing", () =>
    Effect.gen(function* () {
      yield* account("leaver", 100)
      for (let turns = 0; turns < 30; turns++) {
        const caller = { ...Caller.unrestricted("leaver"), key: KeyId.make(`key_${turns}`) }
        const fiber = yield* Effect.fork(ask(caller, "slow"))
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow()
        yield* Fiber.interrupt(fiber)
      }
      const { balance } = yield* rowsOf("leaver")
      expect([balance.held, balance.settled]).toEqual([0, 0])
    }).pipe(Effect.provide(live()))
  )

  it.effect("after its first word is not answered by another", () =>
    Effect.gen(function* () {
      yield* account("late", 100)
      asked.length = 0
      const { end, headers } = yield* ask(Caller.unrestricted("late"), "breaks")
      expect([end._tag, asked, headers["x-gateway-fallback"]]).toEqual(["Left", ["breaks-1"], undefined])
      expect((yield* rowsOf("late")).balance).toMatchObject({ held: 0, settled: 0 })
    }).pipe(Effect.provide(live()))
  )
})

describe("a conversation that left its route", () => {
  const routes = [["answers-first", 1] as const, ["answers-second", 1] as const]
  add("loose", routes)
  add("sticky", routes, { sticky: "conversation" })

  it.effect("goes back once the route is well, or stays for ten minutes where it is sticky", () =>
    Effect.gen(function* () {
      const served = (model: string, text: string) =>
        Effect.map(ask(Caller.unrestricted(`conversations-${model}`), model, text), () => asked.at(-1))
      const both = (text: string) => Effect.all([served("loose", text), served("sticky", text)])
      down.add("answers-first")
      expect(yield* both("one")).toEqual(["answers-second", "answers-second"])
      down.clear()
      yield* TestClock.adjust("9 minutes")
      expect(yield* both("one")).toEqual(["answers-first", "answers-second"])
      expect(yield* both("two")).toEqual(["answers-first", "answers-first"])
      yield* TestClock.adjust("2 minutes")
      expect(yield* both("one")).toEqual(["answers-first", "answers-first"])
    }).pipe(Effect.provide(live()))
  )
})
