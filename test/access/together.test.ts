import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { DeclaredKeys } from "../../src/access/DeclaredKeys.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { readDocument } from "../../src/config/document.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { layer } from "../../src/sql/Database.ts"
import { engines } from "../sql/engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const file = Effect.runSync(
  readDocument(
    "gateway.yaml",
    `keys:
  - { name: a, secret: team-a-secret-0123456789abcdef, balance_usd: 5 }
  - { name: b, secret: team-b-secret-0123456789abcdef, account: a }
  - { name: c, secret: team-c-secret-0123456789abcdef, balance_usd: 7 }`,
    { env: {} },
    GatewayFile
  )
)

describe.skipIf(postgres === undefined)("nodes that start together", () => {
  it.scopedLive("make what a file declares, and the first key, once", () =>
    Effect.gen(function* () {
      if (postgres === undefined) return
      const url = yield* postgres.url
      const node = Layer.build(
        Layer.fresh(Layer.merge(DeclaredKeys.Default, Keys.Default)).pipe(
          Layer.provideMerge(layer({ url, exclusive: false })),
          Layer.provide(Daemons.Default)
        )
      )
      const nodes = yield* Effect.all([node, node, node, node])
      for (let round = 0; round < 3; round++) {
        yield* Effect.forEach(nodes, (one) => Context.get(one, DeclaredKeys).store(file.value), {
          concurrency: "unbounded"
        })
      }
      const chosen = Option.some(Redacted.make("the-operators-own-key-0123456789"))
      yield* Effect.forEach(nodes, (one) => Context.get(one, Keys).bootstrap(chosen), { concurrency: "unbounded" })
      for (const one of nodes.slice(0, 1)) {
        const sql = Context.get(one, SqlClient.SqlClient)
        expect(yield* sql`SELECT nano_usd FROM grants ORDER BY nano_usd`).toEqual([
          { nano_usd: 5_000_000_000 },
          { nano_usd: 7_000_000_000 }
        ])
        expect(yield* sql`SELECT count(*) AS count FROM keys`).toEqual([{ count: 4 }])
      }
    })
  )
})
