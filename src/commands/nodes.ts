import { Command } from "@effect/cli"
import { Effect } from "effect"
import { administer } from "./administer.ts"
import { help, json, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { listTable } from "./table.ts"
import { remoteLeaf } from "./frame/leaf.ts"

const nodes = Command.make("nodes", { wide, json }, ({ json, wide }) =>
  administer(
    Effect.gen(function* () {
      const { nodes } = yield* Operator
      const records = yield* nodes
      yield* print(json, records, () =>
        listTable(
          ["NODE", "NAME", "VERSION", "SINCE", "TASKS", "CALLBACKS", "LAG"],
          records.map(({ deliveries, id, lag_seconds, name, started_at, tasks, version }) => [
            id,
            name,
            version,
            shortTime(started_at),
            String(tasks),
            String(deliveries),
            `${lag_seconds.toFixed(1)} s`
          ]),
          { rare: ["VERSION", "LAG", "SINCE"], wide }
        )
      )
    })
  )
).pipe(
  Command.withDescription(
    help("List the processes that serve from a Postgres, and what they hold.", "gateway nodes", "gateway nodes --json")
  )
)

export const nodesCommand = remoteLeaf(nodes)
