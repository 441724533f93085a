import { Command } from "@effect/cli"
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer } from "effect"
import { Settings, visitedUrl } from "../config/Settings.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { usdText } from "../contract/text/usdText.ts"
import { both, nothingMissing, sumRepair } from "../ledger/store/sumRepair.ts"
import type { Missing } from "../ledger/store/sumRepair.ts"
import * as Database from "../sql/Database.ts"
import { logger } from "./administer.ts"
import { help, json, print } from "./options.ts"
import { CommandSettings } from "./settings.ts"
import { table } from "./table.ts"

/** The pause after a slice, so that requests go first. */
const pause = "50 millis"

const repair = Effect.gen(function* () {
  const { firstMs, slice } = sumRepair(yield* SqlClient.SqlClient)
  let found = { hours: nothingMissing, days: nothingMissing }
  let fromMs = yield* firstMs
  while (fromMs !== undefined) {
    const repaired = yield* slice(fromMs, yield* Clock.currentTimeMillis)
    if (repaired !== undefined) {
      found = { hours: both(found.hours, repaired.hours), days: both(found.days, repaired.days) }
      fromMs = repaired.nextMs
    }
    // A gateway that repairs the same slice has it for a moment.
    yield* Effect.sleep(pause)
  }
  return found
})

const run = Effect.fn(function* (asJson: boolean) {
  const url = visitedUrl(yield* Settings)
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    return yield* new InvalidRequest({
      param: null,
      message: "with SQLite one process adds up all usage: its sums lack nothing"
    })
  }
  const { days, hours } = yield* Effect.provide(repair, Database.layer({ url, exclusive: false }))
  const record = [
    { sums: "by hour", ...shown(hours) },
    { sums: "by day", ...shown(days) }
  ]
  yield* print(asJson, record, () =>
    table(
      ["SUMS", "INCOMPLETE", "CHARGES ADDED", "UPSTREAMS' COSTS ADDED"],
      record.map(({ cost_usd, incomplete, sums, upstream_cost_usd }) => [
        sums,
        String(incomplete),
        usdText(cost_usd),
        usdText(upstream_cost_usd)
      ])
    )
  )
})

const shown = ({ nanoUsd, sums, upstreamNanoUsd }: Missing) => ({
  incomplete: sums,
  cost_usd: nanoUsd / 1e9,
  upstream_cost_usd: upstreamNanoUsd / 1e9
})

export const sumsCommand = Command.make("sums", { json }, ({ json }) =>
  Effect.provide(run(json), Layer.merge(CommandSettings, logger))
).pipe(
  Command.withDescription(
    help(
      "Add to the sums of usage what they lack. It compares them with its rows, on Postgres; gateways may serve meanwhile.",
      "gateway db sums"
    )
  )
)
