import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Troubles } from "../../src/admin/store/Troubles.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const world = Troubles.Default.pipe(Layer.provideMerge(database()))

/** A request with its calls: an upstream, and the error if it failed. */
const request = (
  at: number,
  calls: ReadonlyArray<readonly [upstream: string, error?: string]>,
  { error = "", status = 200 } = {}
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const count = {
      first_byte_ms: 0,
      duration_ms: 0,
      input_tokens: 0,
      output_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      searches: 0,
      stream: 0
    }
    const attempts = calls.map(([upstream, error]) => ({ upstream, ...(error === undefined ? {} : { error }) }))
    return sql`INSERT INTO requests ${sql.insert({
      ...count,
      at,
      request_id: `req_${at}`,
      account_id: "a",
      key_id: "k",
      family: "chat",
      endpoint: "/v1/chat/completions",
      model: "m",
      upstream_model: "m",
      upstream: calls.at(-1)?.[0] ?? "",
      status,
      error,
      details: JSON.stringify(calls.length === 0 ? {} : { attempts })
    })}`
  })

describeOnEach("troubles", () => {
  it.scoped("are calls that failed behind others, of requests that were answered", () =>
    Effect.gen(function* () {
      const { hiddenFailures } = yield* Troubles
      expect(yield* hiddenFailures(0)).toEqual([])
      yield* request(10, [["gone", "timeout"], ["other"]])
      yield* request(20, [["gone", "timeout"], ["other"]])
      yield* request(30, [["gone"]])
      yield* request(40, [["gone", "another route answered first"], ["other"]])
      yield* request(50, [["gone", "timeout"]], { status: 502, error: "upstream_failed" })
      yield* request(60, [])
      expect(yield* hiddenFailures(0)).toEqual([{ upstream: "gone", calls: 5, hidden: 2, since: 10 }])
      expect(yield* hiddenFailures(20)).toEqual([{ upstream: "gone", calls: 4, hidden: 1, since: 20 }])
      expect(yield* hiddenFailures(30)).toEqual([])
    }).pipe(Effect.provide(world))
  )
})
