import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Writes } from "../../sql/Writes.ts"
import type { UsageRow } from "../store/usageRows.ts"
import { usageStatements } from "../store/usageStatements.ts"
import { makeLane } from "./Lane.ts"
import type { Sending } from "./Lane.ts"

/** The node's second lane; `Batches` sends by the first. */
const number = 1

/**
 * The way to store rows that nothing was held for: they change nobody's money before they are added up, and so lock no row
 * that others wait for. The next look at what is left (`Sums`) is soon enough, since whoever reads sums looks before.
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
