import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { AccountId, Caller, KeyId } from "../../src/contract/Caller.ts"
import { UpstreamFailed } from "../../src/contract/Failure.ts"
import { fold } from "../../src/pipeline/fold.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Conversation, SearchTool } from "../../src/generation/Conversation.ts"
import type { Batch, Generation } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { available } from "../../src/ledger/Balances.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd, nanoUsd } from "../../src/ledger/Price.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { settled } from "../sql/clock.ts"
import { layer } from "../../src/sql/Database.ts"
import type { TextUpstream } from "../../src/upstreams/Upstream.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"
import { incoming } from "../contract/incoming.ts"
import { conversation as bare, said } from "../generation/conversations.ts"

const team = AccountId.make("team")
const caller = Caller.unrestricted(team, "key_1")
const outputTokens = 3

/** The upstream says what it was asked for; `behaviour` is the model's name there. */
const asked: Array<Conversation> = []
const upstream: TextUpstream = {
  name: "fake",
  generate: (conversation, { runtime, upstreamModel }) => {
    asked.push(conversation)
    const answer = Effect.suspend((): Effect.Effect<Generation, UpstreamFailed> => {
      if (upstreamModel === "refuses") return Effect.fail(new UpstreamFailed({}))
      if (upstreamModel === "waits") return Effect.never
      const batches: Array<Batch | Promise<Batch>> = [
        [{ type: "text-delta", text: "one two three" }],
        upstreamModel === "stalls"
          ? new Promise<Batch>(() => {})
          : [
              { type: "usage", usage: { ...noUsage, inputTokens: 1, outputTokens } },
              { type: "finished", reason: "stop", stopSequence: null }
            ]
      ]
      const started = Effect.succeed({ next: () => batches.shift(), cancel: () => {} })
      return upstreamModel === "answers" ? started : Effect.zipRight(Effect.promise(turns(3)), started)
    })
    return runFuture(runtime, answer)
  }
}

/** Lets microtasks run. */
const turns = (n: number) => async () => {
  for (let i = 0; i < n; i++) await Promise.resolve()
}

/** A dollar a token of output. */
const price = fromUsd({ output: 1_000_000 })
/** And a cent a token of input, which the upstream tells is one. */
const readingPrice = fromUsd({ input: 10_000, output: 1_000_000 })
const model = (id: string) => ({
  id,
  kind: "text" as const,
  routes: [{ upstream: "fake", model: id }],
  contextTokens: undefined,
  ownedBy: "test",
  price
})

const { price: _, ...unpricedModel } = model("answers")
const catalogue = [
  ...["answers", "refuses", "waits", "stalls"].map(model),
  { ...model("answers"), id: "held", holdOutputTokens: 2 },
  ...["waits", "stalls"].map((id) => ({ ...model(id), id: `reading ${id}`, price: readingPrice })),
  { ...unpricedModel, id: "unpriced" },
  { ...unpricedModel, id: "allowed", unpriced: "allow" as const }
]

const live = Layer.merge(Dispatch.Default, Grants.Default).pipe(
  Layer.provideMerge(Layer.merge(Ledger.Default, Limits.Default)),
  Layer.provideMerge(layer({ url: "sqlite::memory:", exclusive: true })),
  Layer.provide(
    Layer.mergeAll(
      Layer.succeed(Catalogue, new Map(catalogue.map((one) => [one.id, one]))),
      Layer.succeed(TextUpstreams, new Map([["fake", upstream]]))
    )
  )
)

const conversation = (model: string, more: Partial<Conversation> = {}) =>
  bare({ model, items: [said("user", "count to three")], maxOutputTokens: outputTokens, ...more })

const asAny = { family: undefined, objection: undefined }

const machine = { initial: 0, step: (n: number) => [n + 1, []] as const }

const run = (request: Conversation, who: Caller = caller) =>
  Effect.flatMap(Dispatch, (models) =>
    toEffect(() =>
      models
        .generate(who, request, incoming(), { stream: false })
        .flatMap((generation) => fold({ generation, machine }))
    )
  )

const account = (dollars: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const grants = yield* Grants
    yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
    yield* grants.credit(team, nanoUsd(dollars), "test")
  })

const balance = Effect.flatMap(Ledger, (ledger) => Effect.zipRight(ledger.flush, ledger.balance(team)))
const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ outcome: string; cost_nano_usd: number }>`
  SELECT outcome, cost_nano_usd FROM usage ORDER BY id`
)

describe("a generation", () => {
  it.effect("is paid for, and refused where its most would not be covered", () =>
    Effect.gen(function* () {
      yield* account(5)
      yield* run(conversation("answers"))
      expect(available(yield* balance)).toBe(nanoUsd(2))
      const refused = yield* Effect.flip(run(conversation("answers")))
      expect(refused._tag).toBe("InsufficientBalance")
      yield* Effect.flip(run(conversation("answers", { maxOutputTokens: undefined })))
      expect(yield* rows).toEqual([{ outcome: "finished", cost_nano_usd: nanoUsd(3) }])
    }).pipe(Effect.provide(live))
  )

  it.effect("costs nothing when the upstream refuses", () =>
    Effect.gen(function* () {
      yield* account(5)
      yield* Effect.flip(run(conversation("refuses")))
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: 0, held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect(
    "that its client leaves charges nothing, has the operator's cost in its usage row, and leaves no hold",
    () =>
      Effect.gen(function* () {
        yield* account(1_000)
        const started = yield* Effect.forEach(["reading waits", "reading stalls"], (id) =>
          Effect.fork(run(conversation(id)))
        )
        yield* settled
        expect((yield* balance).held).toBe(nanoUsd(6.18))
        yield* Fiber.interruptAll(started)
        expect(yield* balance).toEqual({ granted: nanoUsd(1_000), settled: 0, held: 0 })
        const left = { outcome: "hang-up", cost_nano_usd: 0 }
        expect(yield* rows).toEqual([left, left])
        // One has read nine tokens and written nothing so far, the other one has written three.
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT input_tokens, upstream_cost_nano_usd FROM usage ORDER BY 2`).toEqual([
          { input_tokens: 9, upstream_cost_nano_usd: nanoUsd(0.09) },
          { input_tokens: 9, upstream_cost_nano_usd: nanoUsd(3.09) }
        ])
      }).pipe(Effect.provide(live))
  )

  it.effect("interrupted at any step leaves one usage row and no hold", () =>
    Effect.gen(function* () {
      yield* account(1_000_000)
      const runs = 2_000
      for (let steps = 0; steps < runs; steps++) {
        // Yields all over the place, so that the interruption can come between any two steps.
        const who = { ...caller, key: KeyId.make(`key_${steps}`) }
        const request = run(conversation(steps % 2 === 0 ? "answers" : "stalls"), who).pipe(
          Effect.withMaxOpsBeforeYield(15 + (steps % 23))
        )
        const fiber = yield* Effect.fork(request)
        yield* Effect.yieldNow()
        yield* Effect.promise(turns(steps % 100))
        yield* Fiber.interrupt(fiber)
      }
      const { held, settled } = yield* balance
      const all = yield* rows
      expect(held).toBe(0)
      expect(all.reduce((sum, row) => sum + row.cost_nano_usd, 0)).toBe(settled)
      // A request that was interrupted before it began never reached the ledger.
      expect(all.length).toBeGreaterThan(runs / 2)
    }).pipe(Effect.provide(live))
  )

  it.effect("of a model that the key may not use is refused before money is looked at", () =>
    Effect.gen(function* () {
      yield* account(0)
      const refused = yield* Effect.flip(run(conversation("answers"), { ...caller, models: ["gpt-*"] }))
      expect([refused._tag, refused.message]).toEqual([
        "ModelForbidden",
        'model: this API key has no access to the model "answers"'
      ])
      expect((yield* Effect.flip(run(conversation("nobody"))))._tag).toBe("InvalidRequest")
    }).pipe(Effect.provide(live))
  )
})

describe("a request that may write a lot", () => {
  const long = (model: string) => conversation(model, { maxOutputTokens: 100, outputBound: { param: "max_tokens" } })

  it.effect("holds all that it may cost, and is told so where it is not covered", () =>
    Effect.gen(function* () {
      yield* account(5)
      const refused = yield* Effect.flip(run(long("answers")))
      expect([refused._tag, refused.message]).toEqual([
        "InsufficientBalance",
        "Insufficient balance: the request may cost $100.00, held for 9 tokens of input, 100 tokens of output (max_tokens), available are $5.00"
      ])
    }).pipe(Effect.provide(live))
  )

  it.effect("holds less where its model or its account says so, and pays for all that was written", () =>
    Effect.gen(function* () {
      yield* account(5)
      yield* run(long("held"))
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: nanoUsd(3), held: 0 })
      yield* run(long("answers"), { ...caller, holdOutputTokens: 1 })
      // More was written than was there: it is paid for all the same, and the next one is refused.
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: nanoUsd(6), held: 0 })
      const refused = yield* Effect.flip(run(long("held")))
      expect(refused.message).toContain(
        "2 of at most 100 tokens of output (max_tokens), as hold_output_tokens says, available are"
      )
    }).pipe(Effect.provide(live))
  )
})

describe("a model without a price", () => {
  const outcome = (model: string, who: Partial<Caller> = {}) =>
    Effect.map(Effect.either(run(conversation(model), { ...caller, ...who })), (end) =>
      end._tag === "Left" ? [end.left._tag, end.left.message] : "answered"
    )
  const refused = (model: string) => ["ModelForbidden", `model "${model}" has no price`]
  const budget = { nanoUsd: 1_000, period: "day" } as const

  it.effect("is refused where money is counted, unless the configuration, the account or the key allows it", () =>
    Effect.gen(function* () {
      yield* account(5)
      expect(yield* outcome("unpriced")).toEqual(refused("unpriced"))
      expect(yield* outcome("unpriced", { unpriced: "refuse" })).toEqual(refused("unpriced"))
      expect(yield* outcome("unpriced", { unpriced: "allow" })).toBe("answered")
      expect(yield* outcome("allowed")).toBe("answered")
      expect(yield* outcome("allowed", { unpriced: "refuse" })).toEqual(refused("allowed"))
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: 0, held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("may be used without end where it is not, but not by a key with a budget", () =>
    Effect.gen(function* () {
      const open = { account: AccountId.make("open"), key: KeyId.make("key_2") }
      expect(yield* outcome("unpriced", open)).toBe("answered")
      expect(yield* outcome("unpriced", { ...open, budget })).toEqual(refused("unpriced"))
      expect(yield* outcome("unpriced", { ...open, budget, unpriced: "allow" })).toBe("answered")
    }).pipe(Effect.provide(live))
  )

  it.effect("is not quoted to those who may not use it", () =>
    Effect.gen(function* () {
      yield* account(5)
      const models = yield* Dispatch
      const quoted = yield* Effect.flip(models.quote(caller, conversation("unpriced"), asAny))
      expect(quoted.message).toBe('model "unpriced" has no price')
      yield* models.quote(caller, conversation("allowed"), asAny)
    }).pipe(Effect.provide(live))
  )
})

describe("an account's web search", () => {
  const search = (allowedDomains?: Array<string>, blockedDomains?: Array<string>): SearchTool => ({
    type: "search",
    name: "web_search",
    allowedDomains,
    blockedDomains,
    maxUses: 1,
    contextSize: "medium",
    location: undefined
  })
  const none = { allowed: undefined, blocked: undefined }
  const searching = (tool: SearchTool, searchDomains: Caller["searchDomains"]) =>
    Effect.gen(function* () {
      yield* account(100)
      const exit = yield* Effect.exit(run(conversation("answers", { tools: [tool] }), { ...caller, searchDomains }))
      return Exit.isSuccess(exit) ? asked.at(-1)?.tools[0] : yield* Effect.flip(exit)
    }).pipe(Effect.provide(Layer.fresh(live)))

  it.effect("is narrowed to its domains", () =>
    Effect.gen(function* () {
      const allowed = { allowed: ["example.com", "docs.dev/guide"], blocked: undefined }
      const blocked = { allowed: undefined, blocked: ["evil.com"] }
      expect(yield* searching(search(), allowed)).toMatchObject({ allowedDomains: ["example.com", "docs.dev/guide"] })
      expect(yield* searching(search(["a.example.com"]), allowed)).toMatchObject({ allowedDomains: ["a.example.com"] })
      expect(yield* searching(search(undefined, ["x.com"]), blocked)).toMatchObject({
        blockedDomains: ["x.com", "evil.com"]
      })
      expect(yield* searching(search(undefined, ["example.com"]), allowed)).toMatchObject({
        allowedDomains: ["docs.dev/guide"]
      })
      expect(yield* searching(search(["good.com"]), blocked)).toMatchObject({ allowedDomains: ["good.com"] })
    })
  )

  it.effect("has at most 100 domains, with an account's rules and without", () =>
    Effect.gen(function* () {
      const domains = (count: number) => Array.from({ length: count }, (_, index) => `a${index}.com`)
      for (const rules of [none, { allowed: undefined, blocked: ["evil.com"] }]) {
        expect(yield* searching(search(domains(100)), rules)).toMatchObject({ type: "search" })
        expect(yield* searching(search(undefined, domains(100)), rules)).toMatchObject({ type: "search" })
        expect(yield* searching(search(domains(101)), rules)).toMatchObject({
          message: "allowed_domains: expected at most 100 domains; got 101"
        })
        expect(yield* searching(search(undefined, domains(101)), rules)).toMatchObject({ param: "blocked_domains" })
      }
    })
  )

  it.effect("is refused where the request asks for more", () =>
    Effect.gen(function* () {
      const allowed = { allowed: ["example.com", "docs.dev/guide"], blocked: undefined }
      expect(yield* searching(search(["other.com"]), allowed)).toMatchObject({
        _tag: "InvalidRequest",
        message:
          'tools[0]: web search of "other.com" is not open to this account; allowed domains are example.com, docs.dev/guide'
      })
      expect(yield* searching(search(["docs.dev"]), allowed)).toMatchObject({ _tag: "InvalidRequest" })
      expect(yield* searching(search(["notexample.com"]), allowed)).toMatchObject({ _tag: "InvalidRequest" })
      const blocked = { allowed: undefined, blocked: ["evil.com"] }
      for (const domain of ["evil.com", "www.evil.com"]) {
        expect(yield* searching(search([domain]), blocked)).toMatchObject({ _tag: "InvalidRequest" })
      }
    })
  )
})
