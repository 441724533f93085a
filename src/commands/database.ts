import { Command, Options } from "@effect/cli"
import { Console, Duration, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../config/Settings.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { copyDatabase } from "../sql/copy/copyDatabase.ts"
import type { CopyReport } from "../sql/copy/copyDatabase.ts"
import * as Database from "../sql/Database.ts"
import { logger } from "./administer.ts"
import { compactCommand } from "./compact.ts"
import { leaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { help, json, optionalText, print } from "./options.ts"
import { CommandSettings } from "./settings.ts"
import { sumsCommand } from "./sums.ts"
import { table } from "./table.ts"

const from = Options.text("from").pipe(Options.withDescription("sqlite:<path> of the source."))
const to = optionalText("to", "postgres://… of an empty database; by default, the one in the settings.")

/** Rows between two progress lines of a table. */
const reportEvery = 100_000

const copy = Effect.fn(function* (from: string, to: Option.Option<string>, asJson: boolean) {
  const settings = yield* Settings
  const file = yield* Database.fileOf(from)
  const target = Option.getOrElse(to, () => Redacted.value(settings.databaseUrl))
  if (Option.isNone(file)) return yield* invalid("from", "expected sqlite:<path>, a file")
  if (!/^postgres(?:ql)?:\/\//.test(target)) return yield* invalid("to", "expected postgres://<user>@<host>/<name>")
  let reported = { name: "", rows: 0 }
  const progress = (name: string, rows: number, of: number) => {
    if (name !== reported.name) reported = { name, rows: 0 }
    if (rows < of && rows - reported.rows < reportEvery) return Effect.void
    reported = { name, rows }
    return Console.error(`gateway: ${name}: ${shown(rows)} of ${shown(of)} rows`)
  }
  const [took, report] = yield* Effect.timed(copyDatabase({ from: file.value, to: target, progress }))
  const seconds = Math.round(Duration.toMillis(took) / 100) / 10
  yield* print(asJson, { ...report, seconds }, () => words(report, seconds))
}, Effect.scoped)

const invalid = (name: string, rule: string) => new InvalidRequest({ param: name, message: `--${name}: ${rule}` })

const shown = (count: number | string) => BigInt(count).toLocaleString("en")

const words = ({ sums, tables }: CopyReport, seconds: number): string => {
  const mended = tables.filter(({ mended }) => mended > 0)
  return [
    table(
      ["TABLE", "ROWS"],
      tables.filter(({ rows }) => rows > 0).map(({ rows, table }) => [table, shown(rows)])
    ),
    "",
    table(
      ["SUM, THE SAME ON BOTH", ""],
      Object.entries(sums).map(([name, sum]) => [name, shown(sum)])
    ),
    "",
    ...mended.map(({ mended, table }) => `${table}: ${shown(mended)} texts had a NUL, which is now U+FFFD`),
    `Every row was read back and compared; ${seconds} s. Also move the file \`secret\` of the data directory (or`,
    "GATEWAY_SECRET), and stored files, if `files` keeps them in the data directory."
  ].join("\n")
}

const copyCommand = Command.make("copy", { from, to, json }, ({ from, json, to }) =>
  Effect.provide(copy(from, to, json), Layer.merge(CommandSettings, logger))
).pipe(
  Command.withDescription(
    help(
      "Copy everything from SQLite to an empty Postgres. No gateway may serve from either meanwhile; the source is not changed.",
      "gateway db copy --from sqlite:data/gateway.db --to postgres://gateway@db.example.com/gateway"
    )
  )
)

export const databaseCommand: Group = {
  name: "db",
  commands: [leaf(copyCommand), leaf(compactCommand), leaf(sumsCommand)]
}
