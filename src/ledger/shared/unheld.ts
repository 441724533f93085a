import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Writes } from "../../sql/Writes.ts"
import type { UsageRow } from "../store/usageRows.ts"
import { usageStatements } from "../store/usageStatements.ts"
import { makeLane } from "./Lane.ts"
import type { Sending } from "./Lane.ts"

/** The node's second lane; `Batches` uses the first. */
const number = 1

/**
 * Stores rows without a hold. They change no balance until they are added up, so they lock no shared row. `Sums` adds
 * them up later, and every reader of sums does it first.
 */
export const makeUnheld = Effect.gen(function* () {
  const { leaveAll } = usageStatements(yield* SqlClient.SqlClient)
  const lane = yield* makeLane(number)

  const sendingOf = (...[take, late]: Parameters<Writes<UsageRow>["write"]>): Sending => ({
    statement: (by) => leaveAll(by, take()),
    late: (applied) => late(applied !== undefined)
  })
  const written = (sending: Sending) => Effect.asVoid(lane.send(sending))

  const way: Writes<UsageRow> = {
    write: (take, late) => Effect.uninterruptible(written(sendingOf(take, late))),
    writeSoon: (take, late, done) => {
      const sending = sendingOf(take, late)
      const isSent = lane.sendSoon(sending, {
        applied: () => done(Effect.void),
        left: (rest) => done(Effect.asVoid(rest))
      })
      if (!isSent) done(written(sending))
    }
  }
  return way
})
