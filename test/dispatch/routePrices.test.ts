import { plainBudget } from "../../src/contract/budgets/Budget.ts"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { fold } from "../../src/pipeline/fold.ts"
import { AccountId, Caller, KeyId } from "../../src/contract/callers/Caller.ts"
import { UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import { Future } from "../../src/flow/Future.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Batch } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { available } from "../../src/ledger/Balances.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import type { Model } from "../../src/catalogue/Catalogue.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import type { TextUpstream } from "../../src/upstreams/Upstream.ts"
import { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"
import { incoming } from "../contract/incoming.ts"
import { conversation, said } from "../generation/conversations.ts"
import { caseCount } from "../caseCount.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const team = AccountId.make("team")
const caller = Caller.unrestricted(team, "key_1")

/** Output tokens of an answer, and the most that is asked for. */
const [used, most] = [3, 10]

const down = new UpstreamError({
  failure: new UpstreamFailed({}),
  retry: "elsewhere",
  retryAfterMs: undefined,
  status: 503
})

/** A model named `dead…` is refused there. */
const upstream = (name: string): TextUpstream => ({
  name,
  generate: (_, { upstreamModel }) => {
    if (upstreamModel.startsWith("dead")) return Future.fail(down)
    const batches: Array<Batch> = [
      [
        { type: "text-delta", text: "one two three" },
        { type: "usage", usage: { ...noUsage, inputTokens: 1, outputTokens: used } },
        { type: "finished", reason: "stop", stopSequence: null }
      ]
    ]
    return Future.succeed({ next: () => batches.shift(), cancel: () => {} })
  }
})
const names = ["a", "b", "c", "d"]

const catalogue = new Map<string, Model>()
const live = () =>
  Layer.merge(Dispatch.Default, Grants.Default).pipe(
    Layer.provideMerge(Layer.merge(Ledger.Default, Limits.Default)),
    Layer.provideMerge(database()),
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(Catalogue, catalogue),
        Layer.succeed(TextUpstreams, new Map(names.map((name) => [name, upstream(name)])))
      )
    )
  )

interface Place {
  /** Dollars a token of output; undefined for a model without a price. */
  readonly price: number | undefined
  readonly isDown: boolean
}

interface Case {
  readonly places: ReadonlyArray<Place>
  /** The price of the entry, for places without their own. */
  readonly own: number | undefined
  readonly dollars: number | undefined
  readonly budget: number | undefined
  readonly isAllowed: boolean
}

const dollars = fc.integer({ min: 0, max: 6 })
const cases: fc.Arbitrary<Case> = fc.record({
  places: fc.array(fc.record({ price: fc.option(dollars, { nil: undefined, freq: 4 }), isDown: fc.boolean() }), {
    minLength: 1,
    maxLength: names.length
  }),
  own: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: dollars }),
  dollars: fc.option(fc.integer({ min: 0, max: 70 }), { nil: undefined, freq: 4 }),
  budget: fc.option(fc.integer({ min: 0, max: 70 }), { nil: undefined, freq: 1 }),
  isAllowed: fc.boolean()
})

const priceOf = (usd: number) => fromUsd({ output: usd * 1_000_000 })

/** The upstream that should answer, with its price in dollars; or the reason that none does. */
const expected = ({ budget, dollars = Infinity, isAllowed, own, places }: Case) => {
  const isBounded = dollars !== Infinity || budget !== undefined
  const left = Math.min(dollars, budget ?? Infinity)
  const all = places.map(({ isDown, price }, index) => ({ name: names[index], price: price ?? own, isDown }))
  const permitted = all.filter(({ price }) => price !== undefined || isAllowed || !isBounded)
  if (permitted.length === 0) return "Unpriced"
  const covered = permitted.filter(({ price = 0 }) => most * price <= left)
  if (covered.length === 0)
    return dollars < most * Math.min(...permitted.map(({ price = 0 }) => price))
      ? "InsufficientBalance"
      : "QuotaExceeded"
  const one = covered.find(({ isDown }) => !isDown)
  return one === undefined ? "UpstreamFailed" : { upstream: one.name, nanoUsd: nanoUsd(used * (one.price ?? 0)) }
}

let made = 0

const answered = Effect.fnUntraced(function* (one: Case) {
  const id = `model-${++made}`
  catalogue.set(
    id,
    servedModel({
      id,
      kind: "text",
      contextTokens: undefined,
      ownedBy: "test",
      ...(one.own === undefined ? {} : { price: priceOf(one.own) }),
      routes: one.places.map(({ isDown, price }, index) => ({
        upstream: names[index] ?? "",
        model: `${isDown ? "dead" : "alive"}-${made}`,
        ...(price === undefined ? {} : { price: priceOf(price) })
      }))
    })
  )
  const sql = yield* SqlClient.SqlClient
  const grants = yield* Grants
  const models = yield* Dispatch
  const ledger = yield* Ledger
  const who: Caller = {
    ...caller,
    account: AccountId.make(id),
    key: KeyId.make(`key_${id}`),
    unpriced: one.isAllowed ? "allow" : "refuse",
    keyBudgets: one.budget === undefined ? undefined : [plainBudget(nanoUsd(one.budget), "day")]
  }
  yield* sql`INSERT INTO accounts (id, created_at) VALUES (${id}, 0)`
  if (one.dollars !== undefined) yield* grants.credit(who.account, nanoUsd(one.dollars), "test")
  const request = incoming()
  const asked = conversation({ model: id, items: [said("user", "count")], maxOutputTokens: most })
  const end = yield* Effect.either(
    toEffect(() =>
      models
        .generate(who, asked, request, { stream: false })
        .flatMap((generation) =>
          fold({ generation, machine: { initial: 0, step: (n: number) => [n + 1, []] as const } })
        )
    )
  )
  yield* ledger.flush
  const balance = yield* ledger.balance(who.account)
  expect([balance.held, Math.min(0, available(balance) ?? 0)]).toEqual([0, 0])
  const rows = yield* sql<{ upstream: string; price: string; cost: number | string }>`
    SELECT upstream, price, cost_nano_usd AS cost FROM usage WHERE account_id = ${id}`
  if (end._tag === "Left") {
    expect([rows, balance.settled]).toEqual([[], 0])
    return end.left._tag
  }
  const [row] = rows
  expect(rows).toHaveLength(1)
  expect(balance.settled).toBe(Number(row?.cost))
  // The answer shows the charge, and none for a model without a price.
  const told = request.replyHeaders["x-gateway-cost-usd"]
  if (told !== undefined) expect(nanoUsd(Number(told))).toBe(Number(row?.cost))
  expect(request.replyHeaders["x-gateway-upstream"]).toBe(row?.upstream)
  return { upstream: row?.upstream, nanoUsd: Number(row?.cost) }
})

describeOnEach("a request that several routes may answer", ({ name }) => {
  it.effect("is paid for at the price of the one that does, of those that its money covers", () =>
    Effect.gen(function* () {
      for (const one of fc.sample(cases, { numRuns: caseCount(name === "sqlite" ? 100 : 15) })) {
        expect({ one, end: yield* answered(one) }).toEqual({ one, end: expected(one) })
      }
    }).pipe(Effect.provide(live()))
  )
})

describe("what is held for a request", () => {
  const two = (first: number, second: number) => ({
    own: undefined,
    budget: undefined,
    isAllowed: false,
    places: [
      { price: first, isDown: true },
      { price: second, isDown: false }
    ]
  })

  it.effect("that fell over to a dearer route is never more than there was", () =>
    Effect.gen(function* () {
      expect(yield* answered({ ...two(1, 6), dollars: 60 })).toEqual({ upstream: "b", nanoUsd: nanoUsd(18) })
      // The more expensive one is not asked, so none answers.
      expect(yield* answered({ ...two(1, 6), dollars: 59 })).toBe("UpstreamFailed")
      expect(yield* answered({ ...two(6, 1), dollars: 59 })).toEqual({ upstream: "b", nanoUsd: nanoUsd(3) })
      expect(yield* answered({ ...two(6, 1), dollars: 9 })).toBe("InsufficientBalance")
    }).pipe(Effect.provide(live()))
  )
})
