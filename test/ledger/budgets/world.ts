import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer } from "effect"
import type { Budget } from "../../../src/contract/budgets/Budget.ts"
import { AccountId, Caller } from "../../../src/contract/callers/Caller.ts"
import { noUsage } from "../../../src/generation/GenerationEvent.ts"
import type { Charge } from "../../../src/ledger/Charge.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { fromUsd } from "../../../src/ledger/Price.ts"
import { ClockSource } from "../../../src/sql/Changes.ts"
import { Commits } from "../../../src/sql/Commits.ts"
import { database } from "../../sql/engines.ts"

export const dollar = 1_000_000_000
/** A dollar a token of output. */
export const price = fromUsd({ output: 1_000_000 })
const team = AccountId.make("team")

export const budget = (
  unit: Budget["unit"],
  limit: number,
  window: Budget["window"] = { per: "day", zone: "UTC" },
  more: Omit<Budget, "unit" | "limit" | "window"> = {}
): Budget => ({ unit, limit: unit === "usd" ? limit * dollar : limit, window, ...more })

/** A ledger on either engine, by the test's clock. */
export const live = Layer.merge(Ledger.Default, Commits.Default).pipe(
  Layer.provide(Layer.succeed(ClockSource, "process")),
  Layer.provideMerge(database())
)

export const account = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
)

export const callerOf = (keyBudgets: ReadonlyArray<Budget>, more: Partial<Caller> = {}): Caller => ({
  ...Caller.unrestricted(team, "key_1"),
  keyBudgets,
  ...more
})

export interface Asked {
  readonly dollars?: number
  readonly tokens?: number
  readonly model?: string
  readonly tags?: ReadonlyArray<string>
  readonly endUser?: string
}

export const open = (caller: Caller, { dollars = 1, endUser, model = "m", tags, tokens = dollars }: Asked = {}) =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.open({
      caller,
      requestId: "req",
      model,
      upstream: "u",
      price,
      mostNanoUsd: () => dollars * dollar,
      mostTokens: () => tokens,
      labels: { tags, endUser }
    })
  )

export const settle = (charge: Charge, dollars = 1) =>
  Effect.promise(async () => charge.settle({ ...noUsage, outputTokens: dollars }, "finished", false))

/** Many at once: those that were let through, and the tags of the refusals. */
export const openAll = (caller: Caller, count: number, asked: Asked = {}) =>
  Effect.map(
    Effect.all(
      Array.from({ length: count }, () => Effect.either(open(caller, asked))),
      { concurrency: "unbounded" }
    ),
    (all) => ({
      charges: all.flatMap((one) => (Either.isRight(one) ? [one.right] : [])),
      refusals: [...new Set(all.flatMap((one) => (Either.isLeft(one) ? [one.left._tag] : [])))]
    })
  )
