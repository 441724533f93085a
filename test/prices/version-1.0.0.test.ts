import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import type { ModelEntry } from "../../src/catalogue/Catalogue.ts"
import { findPrices } from "../../src/catalogue/prices.ts"
import { UsedPrices } from "../../src/catalogue/prices/fetched/UsedPrices.ts"
import { BadSettings } from "../../src/config/document.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { costOf } from "../../src/ledger/cost.ts"
import { priceFromText } from "../../src/ledger/Price.ts"
import type { Price } from "../../src/ledger/Price.ts"
import { database, describeOnEach } from "../sql/engines.ts"

/*
 * Prices as version 1.0.0 read and stored them, with its costs of three usages; and a fetched list as it was stored before
 * lists had tiers, with the prices of then. That version made the file.
 */

const Row = Schema.Struct({ name: Schema.String, text: Schema.String, nano_usd: Schema.Array(Schema.Int) })
const Count = Schema.Int
const Used = Schema.Struct({
  inputTokens: Count,
  cacheReadTokens: Count,
  cacheWriteTokens: Count,
  cacheWriteHourTokens: Schema.optional(Count),
  outputTokens: Count,
  reasoningTokens: Count,
  searches: Count,
  videoFrames: Schema.optional(Count)
})
const { list, listed, prices_file, rows, used } = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({
      used: Schema.Array(Used),
      prices_file: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
      rows: Schema.Array(Row),
      list: Schema.Unknown,
      listed: Schema.Array(Row)
    })
  )
)(readFileSync(join(import.meta.dirname, "version-1.0.0.json"), "utf8"))

const costsOf = (price: Price) =>
  used.map(({ cacheWriteHourTokens = 0, videoFrames = 0, ...counts }) =>
    costOf(price, { ...noUsage, ...counts, cacheWriteHourTokens, videoFrames })
  )

describe("a price of version 1.0.0", () => {
  it.each(rows)("of $name decodes where it is stored, and costs what it did", ({ nano_usd, text }) => {
    const price = priceFromText(text)
    expect([price.text, costsOf(price)]).toEqual([text, nano_usd])
  })

  it.effect("is the same in its prices_file", () =>
    Effect.gen(function* () {
      const path = join(mkdtempSync(join(tmpdir(), "gateway-prices-")), "prices.json")
      writeFileSync(path, JSON.stringify(prices_file))
      const names = Object.keys(prices_file)
      const models = new Map(
        names.map((id): [string, ModelEntry] => [
          id,
          { id, kind: "text", routes: [{ upstream: "up", model: id }], contextTokens: undefined, ownedBy: "up" }
        ])
      )
      const file = {
        value: { prices_file: path },
        complain: (_: unknown, message: string) => new BadSettings({ message })
      }
      const found = yield* findPrices(models, file)
      const written = rows.filter(({ name }) => names.includes(name))
      expect(written).toHaveLength(names.length)
      for (const { name, nano_usd, text } of written) {
        const [one] = found.get(name) ?? []
        const { from, price } = one ?? expect.unreachable(name)
        expect([name, from, price && JSON.parse(price.text)]).toEqual([name, "prices_file", JSON.parse(text)])
        expect([name, price && costsOf(price)]).toEqual([name, nano_usd])
      }
    })
  )
})

describeOnEach("a fetched list that was stored before lists had tiers", () => {
  const services = UsedPrices.Default.pipe(Layer.provideMerge(database()))

  it.scoped("has the prices that it had", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO price_list (id, source, fetched_at, document, tried_at)
        VALUES (1, ${"https://prices.example/list.json"}, ${1_000}, ${JSON.stringify(list)}, ${1_000})`
      const { load } = yield* UsedPrices
      const found = (yield* load) ?? expect.unreachable("it can't be read")
      for (const { name, nano_usd, text } of listed) {
        const price = found.find(name)
        expect([name, price?.text, price && costsOf(price)]).toEqual([name, text, nano_usd])
      }
    }).pipe(Effect.provide(services))
  )
})
