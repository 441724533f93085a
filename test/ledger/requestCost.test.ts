import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { noCounts } from "../../src/contract/records/measures.ts"
import { serviceNames } from "../../src/contract/records/Service.ts"
import { explain } from "../../src/ledger/explain.ts"
import { free, fromUsd } from "../../src/ledger/Price.ts"
import { requestCost } from "../../src/ledger/store/requestCost.ts"
import { anyRow, columns } from "../../src/ledger/store/usageRows.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const price = fromUsd({
  input: 2,
  cache_write: 3,
  cache_write_1h: 4,
  output: 10,
  per_search: 0.01,
  above: { 100: { input: 4 } }
})
const used = {
  ...noCounts,
  inputTokens: 50,
  cacheWriteTokens: 30,
  cacheWriteHourTokens: 10,
  outputTokens: 5,
  searches: 1
}
const nanoUsd = 50 * 2_000 + 20 * 3_000 + 10 * 4_000 + 5 * 10_000 + 10_000_000
const row = {
  ...anyRow,
  atMs: 1_000,
  requestId: "req_1",
  account: AccountId.make("team"),
  used,
  price: price.text,
  costNanoUsd: nanoUsd
}

describeOnEach("the cost of a request", () => {
  it.scoped("is explained from the row of an older gateway, which knew no tiers; never from another account's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const older = Struct.omit(columns(row), ...serviceNames, "cost_lines")
      yield* sql`INSERT INTO usage ${sql.insert(older)}`
      yield* sql`INSERT INTO usage ${sql.insert({ ...older, account_id: "other", cost_nano_usd: 1 })}`
      yield* sql`INSERT INTO usage ${sql.insert({ ...older, outcome: "cut", cost_nano_usd: 0 })}`
      const cost = yield* requestCost(sql)("team", "req_1", { fromMs: 1_000, toMs: 1_001 })
      expect(cost).toMatchObject({
        lines: [
          { of: "input_tokens", count: 50, price_usd: 2, usd: "0.0001" },
          { of: "cache_write_tokens", count: 20, price_usd: 3, usd: "0.00006" },
          { of: "cache_write_1h_tokens", count: 10, price_usd: 4, usd: "0.00004" },
          { of: "output_tokens", count: 5, price_usd: 10, usd: "0.00005" },
          { of: "web_search", count: 1, price_usd: 0.01, usd: "0.01" }
        ],
        factors: [],
        sum: { nano_usd: nanoUsd },
        charged: { nano_usd: nanoUsd },
        estimated: false
      })
      expect(yield* requestCost(sql)("team", "req_1", { fromMs: 2_000, toMs: 3_000 })).toBeUndefined()
    }).pipe(Effect.provide(database()))
  )
})

describe("an explanation", () => {
  const usage = { used: noCounts, calls: null, price: price.text, costLines: null }

  it("names the step of a long input", () => {
    expect(explain({ ...usage, used: { ...noCounts, inputTokens: 101 } })).toMatchObject({
      lines: [{ of: "input_tokens", count: 101, rate: 4_000_000_000, per: 1_000_000 }],
      factors: [{ of: "above", value: "100" }]
    })
  })

  it("rounds the sum once", () => {
    const third = fromUsd({ input: 0.0004, output: 0.0004, per_second: 0.1 })
    const explained = explain({
      ...usage,
      price: third.text,
      used: { ...noCounts, inputTokens: 1, outputTokens: 1, videoFrames: 1 }
    })
    // 0.4 + 0.4 + 4,166,666.67 nano-dollars.
    expect(explained?.nanoUsd).toBe(4_166_667)
  })

  it("is none for what is free", () => {
    expect(explain({ ...usage, price: free.text, used: { ...noCounts, inputTokens: 1 } })).toBeUndefined()
  })

  it("is none for a row of the first versions that can't be read", () => {
    expect(explain({ ...usage, price: "{}" })).toBeUndefined()
    expect(explain({ ...usage, used: { ...noCounts, inputTokens: 0.5 } })).toBeUndefined()
  })
})
