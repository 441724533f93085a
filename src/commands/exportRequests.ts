import { Command, Options } from "@effect/cli"
import { Clock, Effect, Stream } from "effect"
import { exportHead, exportRows } from "../requests/requestExport.ts"
import { administer } from "./administer.ts"
import { help } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { filters, times, requestFilter } from "./requestFilters.ts"

export const exportRequests = Command.make(
  "export",
  {
    ...filters,
    ...times,
    format: Options.choice("format", ["csv", "jsonl"]).pipe(
      Options.withDescription("csv, or jsonl: a JSON object a line, with all fields."),
      Options.withDefault("csv" as const)
    )
  },
  ({ format, since, until, ...given }) =>
    administer(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const { requests } = yield* Operator
        const filter = yield* requestFilter(given, since, until, nowMs)
        yield* written(exportHead(format))
        yield* Stream.runForEach(requests.all(filter), (rows) => Effect.flatMap(exportRows(format, rows), written))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Print all matching requests as CSV or JSON lines.",
      "gateway requests export --since 7d > requests.csv",
      "gateway requests export --key production --format jsonl"
    )
  )
)

/** Resolves once the reader has taken it, so that a slow one does not fill the memory. */
const written = (text: string): Effect.Effect<void> =>
  Effect.async((resume) => void process.stdout.write(text, () => resume(Effect.void)))
