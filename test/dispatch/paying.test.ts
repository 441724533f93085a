import { plainBudget } from "../../src/contract/budgets/Budget.ts"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import type { Caller } from "../../src/contract/callers/Caller.ts"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { available } from "../../src/ledger/Balances.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { settled } from "../sql/clock.ts"
import { account, asked, caller, conversation, live, run, team, turns } from "./paidUpstream.ts"

const asAny = { family: undefined, objection: undefined }
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

  it.effect("that breaks while its hold is placed leaves its place to the next", () =>
    Effect.gen(function* () {
      yield* account(50)
      const alone: Caller = { ...caller, keyLimits: { concurrentRequests: 1 } }
      // Its balance is known from here on, so that no fiber places the next hold.
      yield* run(conversation("answers"), alone)
      const budgets = new Proxy([plainBudget(nanoUsd(1), "day")], {
        get: (all, name) => {
          if (name === "map") throw new Error("a defect")
          return Reflect.get(all, name)
        }
      })
      const broken = yield* Effect.exit(run(conversation("answers"), { ...alone, keyBudgets: budgets }))
      expect(broken).toEqual(Exit.die(new Error("a defect")))
      yield* run(conversation("answers"), alone)
    }).pipe(Effect.provide(live))
  )

  it.effect("costs nothing when the upstream refuses", () =>
    Effect.gen(function* () {
      yield* account(5)
      yield* Effect.flip(run(conversation("refuses")))
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: 0, held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("that its client leaves is charged for what was read and written until then, and leaves no hold", () =>
    Effect.gen(function* () {
      yield* account(1_000)
      const started = yield* Effect.forEach(["reading waits", "reading stalls"], (id) =>
        Effect.fork(run(conversation(id)))
      )
      yield* settled
      expect((yield* balance).held).toBe(nanoUsd(6.18))
      yield* Fiber.interruptAll(started)
      // One has read nine tokens and written nothing so far, the other one has written three.
      expect(yield* balance).toEqual({ granted: nanoUsd(1_000), settled: nanoUsd(3.18), held: 0 })
      const left = { outcome: "hang-up", estimated: 1, input_tokens: 9 }
      const sql = yield* SqlClient.SqlClient
      expect(
        yield* sql`SELECT outcome, estimated, input_tokens, cost_nano_usd, upstream_cost_nano_usd FROM usage ORDER BY 4`
      ).toEqual([
        { ...left, cost_nano_usd: nanoUsd(0.09), upstream_cost_nano_usd: nanoUsd(0.09) },
        { ...left, cost_nano_usd: nanoUsd(3.09), upstream_cost_nano_usd: nanoUsd(3.09) }
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
      expect((yield* Effect.flip(run(conversation("nobody"))))._tag).toBe("UnknownModel")
    }).pipe(Effect.provide(live))
  )
})

describe("a request that may write a lot", () => {
  const long = (model: string) => conversation(model, { maxOutputTokens: 100, outputParam: "max_tokens" })

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

  it.effect("holds and asks for no more than its model can write", () =>
    Effect.gen(function* () {
      yield* account(5)
      yield* run(long("bounded"))
      expect(asked.at(-1)?.maxOutputTokens).toBe(4)
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: nanoUsd(3), held: 0 })
      const refused = yield* Effect.flip(run(long("bounded")))
      expect(refused.message).toContain("may cost $4.00, held for 9 tokens of input, 4 tokens of output (max_tokens)")
    }).pipe(Effect.provide(live))
  )

  it.effect("holds less where its model or its account says so, and pays for no more than that", () =>
    Effect.gen(function* () {
      yield* account(5)
      yield* run(long("held"))
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: nanoUsd(2), held: 0 })
      yield* run(long("answers"), { ...caller, holdOutputTokens: 1 })
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: nanoUsd(3), held: 0 })
      // Three tokens are written: what is held for two is all that is left, and all that is charged.
      yield* run(long("held"))
      expect(yield* balance).toEqual({ granted: nanoUsd(5), settled: nanoUsd(5), held: 0 })
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
  const refused = (model: string) => ["Unpriced", `model "${model}" has no price`]
  const keyBudgets = [plainBudget(1_000, "day")]

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

  it.effect("is refused or allowed by its upstream, whatever the configuration says of others", () =>
    Effect.gen(function* () {
      yield* account(5)
      expect(yield* outcome("own")).toBe("answered")
      expect(yield* outcome("bought")).toEqual(refused("bought"))
      // The caller's own rule comes first.
      expect(yield* outcome("own", { unpriced: "refuse" })).toEqual(refused("own"))
      expect(yield* outcome("bought", { unpriced: "allow" })).toBe("answered")
    }).pipe(Effect.provide(live))
  )

  it.effect("may be used without end where it is not, but not by a key with a budget", () =>
    Effect.gen(function* () {
      const open = { account: AccountId.make("open"), key: KeyId.make("key_2") }
      expect(yield* outcome("unpriced", open)).toBe("answered")
      expect(yield* outcome("unpriced", { ...open, keyBudgets })).toEqual(refused("unpriced"))
      expect(yield* outcome("unpriced", { ...open, keyBudgets, unpriced: "allow" })).toBe("answered")
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
