import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { UsageRow } from "../../src/ledger/store/usageRows.ts"
import { usageWriter } from "../../src/ledger/store/usageWriter.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import { requestWriter } from "../../src/requests/store/requestWriter.ts"

/** The usage row of a request that was settled as soon as it came. */
export const usageOf = (row: RequestRow, given: Partial<UsageRow> = {}): UsageRow => ({
  atMs: row.at,
  requestId: row.request_id,
  account: AccountId.make(row.account_id),
  key: KeyId.make(row.key_id),
  model: row.model,
  upstream: row.upstream,
  outcome: "finished",
  estimated: false,
  used: { ...noUsage, inputTokens: row.input_tokens, outputTokens: row.output_tokens },
  price: "{}",
  costNanoUsd: row.cost_nano_usd ?? 0,
  upstreamCostNanoUsd: 2 * (row.cost_nano_usd ?? 0),
  aboveHoldNanoUsd: 0,
  ...given
})

/** Stores requests, and the usage rows of those that cost something. */
export const storePaid = (rows: ReadonlyArray<RequestRow>, more: ReadonlyArray<UsageRow> = []) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.all(requestWriter(sql)(rows), { discard: true })
    const paid = rows.filter(({ cost_nano_usd }) => cost_nano_usd !== null).map((row) => usageOf(row))
    // Usage is stored as it is settled, whenever its request ends.
    const settled = [...paid, ...more].toSorted((one, other) => one.atMs - other.atMs)
    yield* Effect.all(usageWriter(sql)(settled), { discard: true })
  })
