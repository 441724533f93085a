import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { AccountId, KeyId, unrestricted } from "../../src/contract/Caller.ts"
import type { Caller } from "../../src/contract/Caller.ts"
import { UpstreamFailed } from "../../src/contract/Failure.ts"
import type { Incoming } from "../../src/contract/handlers.ts"
import { answering, folded } from "../../src/generation/answer.ts"
import type { Conversation, SearchTool } from "../../src/generation/Conversation.ts"
import type { Batch } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { available } from "../../src/ledger/Balances.ts"
import { Grants } from "../../src/ledger/Grants.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd, nanoUsd } from "../../src/ledger/Price.ts"
import { Catalogue } from "../../src/models/Catalogue.ts"
import { Models } from "../../src/models/Models.ts"
import { layer } from "../../src/sql/Database.ts"
import type { TextUpstream } from "../../src/upstreams/Upstream.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"

const team = AccountId.make("team")
const caller = unrestricted(team, KeyId.make("key_1"))
const outputTokens = 3

/** The upstream says what it was asked for; `behaviour` is the model's name there. */
const asked: Array<Conversation> = []
const upstream: TextUpstream = {
  name: "fake",
  generate: (conversation, { upstreamModel }) =>
    Effect.suspend(() => {
      asked.push(conversation)
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
}

/** Lets microtasks run. */
const turns = (n: number) => async () => {
  for (let i = 0; i < n; i++) await Promise.resolve()
}

/** A dollar a token of output. */
const price = fromUsd({ output: 1_000_000 })
const model = (id: string) => ({
  id,
  kind: "text" as const,
  routes: [{ upstream: "fake", model: id }],
  contextTokens: undefined,
  ownedBy: "test",
  price
})

const live = Layer.mergeAll(Models.Default, Ledger.Default, Grants.Default).pipe(
  Layer.provideMerge(layer({ url: "sqlite::memory:", exclusive: true })),
  Layer.provide(
    Layer.mergeAll(
      Layer.succeed(Catalogue, new Map(["answers", "refuses", "waits", "stalls"].map((id) => [id, model(id)]))),
      Layer.succeed(TextUpstreams, new Map([["fake", upstream]]))
    )
  )
)

const conversation = (model: string, more: Partial<Conversation> = {}): Conversation => ({
  model,
  system: [],
  items: [{ type: "message", role: "user", content: [{ type: "text", text: "count to three" }] }],
  tools: [],
  toolChoice: { type: "auto" },
  parallelToolCalls: true,
  reasoning: { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined },
  sampling: { temperature: undefined, topP: undefined, topK: undefined },
  maxOutputTokens: outputTokens,
  stopSequences: [],
  format: { type: "text" },
  truncation: "disabled",
  endUser: undefined,
  cacheKey: undefined,
  ...more
})

const incoming: Incoming = {
  id: "req_1",
  method: "POST",
  path: "/",
  headers: new Headers(),
  body: {},
  replyHeaders: {},
  shutdown: new AbortController().signal
}

const machine = { initial: 0, step: (n: number) => [n + 1, []] as const }

const run = (request: Conversation, who: Caller = caller) =>
  Effect.flatMap(Models, (models) =>
    answering(models.generate(who, request, incoming, { stream: false }), (generation) =>
      folded({ generation, machine })
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

  it.effect("that its client leaves has a usage row, whatever it was doing, and no hold is left", () =>
    Effect.gen(function* () {
      yield* account(1_000)
      const started = yield* Effect.forEach(["waits", "stalls"], (id) => Effect.fork(run(conversation(id))))
      yield* Effect.yieldNow()
      expect((yield* balance).held).toBe(nanoUsd(6))
      yield* Fiber.interruptAll(started)
      expect(yield* balance).toEqual({ granted: nanoUsd(1_000), settled: nanoUsd(3), held: 0 })
      expect((yield* rows).map((row) => row.outcome)).toEqual(["hang-up", "hang-up"])
    }).pipe(Effect.provide(live))
  )

  it.effect("interrupted at any step leaves one usage row and no hold", () =>
    Effect.gen(function* () {
      yield* account(1_000_000)
      const runs = 2_000
      for (let steps = 0; steps < runs; steps++) {
        // Yields all over the place, so that the interruption can come between any two steps.
        const request = run(conversation(steps % 2 === 0 ? "answers" : "stalls")).pipe(
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
