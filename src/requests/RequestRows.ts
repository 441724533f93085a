import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import { Daemons } from "../flow/Daemons.ts"
import { makeBatchWriter } from "../sql/BatchWriter.ts"
import { committing } from "../sql/Writes.ts"
import { Commits } from "../sql/Commits.ts"
import { SumNames } from "../ledger/SumNames.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { RequestLog } from "../telemetry/RequestLog.ts"
import { rowOf } from "./RequestRow.ts"
import { requestWriter } from "./store/requestWriter.ts"

/** How long rows are gathered before a write, in ms. */
const lagMs = 100
/** Rows per write: blocks the thread for about 1 ms; a commit costs as much as ten rows. */
const most = 256
/** The most waiting records, while the database is away or can't keep up. */
const capacity = 20_000

/** Stores request records after the answers, in batches. Records beyond the capacity are dropped and counted. */
const make = Effect.gen(function* () {
  const dropped = (yield* Metrics).requestRowsDropped.of()
  const names = yield* SumNames
  const write = requestWriter(yield* SqlClient.SqlClient)
  const writes = committing(yield* Commits, "soon", (records: ReadonlyArray<RequestRecord>) =>
    write(records.map((record) => rowOf(record, names)))
  )
  return yield* makeBatchWriter("requests", most, writes, { lagMs, capacity, lost: () => dropped.add(1) })
})

/** Stores the server's request records as rows. */
export const RequestRowsLive = Layer.scoped(RequestLog, make).pipe(
  Layer.provide(Layer.mergeAll(Commits.Default, Daemons.Default, SumNames.Default))
)
