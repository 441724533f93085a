import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Writes } from "../../sql/Writes.ts"
import type { UsageRow } from "../store/usageRows.ts"
import { usageStatements } from "../store/usageStatements.ts"
import { makeLane } from "./Lane.ts"

/** The node's second lane; `Batches` uses the first. */
const number = 1

/**
 * Stores rows without a hold. They change no balance until they are added up, so they lock no shared row. `Sums` adds
 * them up later, and every reader of sums does it first.
 */
export const makeUnheld = Effect.gen(function* () {
  const { leaveAll } = usageStatements(yield* SqlClient.SqlClient)
  const send = yield* makeLane(number)
  const writes: Writes<UsageRow> = {
    write: (take, ended, doubtful) => send({ statement: (by) => leaveAll(by, take()), ended, doubtful })
  }
  return writes
})
