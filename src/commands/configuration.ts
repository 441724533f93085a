import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import type { ConfigurationRecord } from "../admin/ConfigurationRecord.ts"
import { readText } from "../config/source.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { Operator } from "./operator/Operator.ts"
import { help, json, limitOption, optionalText, print, shortTime } from "./options.ts"
import { table } from "./table.ts"

const versionArgument = Args.integer({ name: "version" }).pipe(
  Args.withDescription("The version, from `gateway config history`."),
  Args.optional
)

const inDatabase = <A, E>(command: Effect.Effect<A, E, Operator>) =>
  administer(command, { mayCreate: false, withoutFile: true })

const apply = Command.make(
  "apply",
  {
    file: Args.text({ name: "file" }).pipe(Args.withDescription("A gateway.yaml.")),
    note: optionalText("note", "A note for the history."),
    json
  },
  ({ file, json, note }) =>
    inDatabase(
      Effect.gen(function* () {
        const document = yield* readText(file)
        const { configuration } = yield* Operator
        const applied = yield* configuration.apply({ name: file, document, note: Option.getOrNull(note) })
        yield* print(json, applied, () => `${file} is version ${applied.version}; every node loads it.`)
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Make a file the configuration of all nodes. An invalid file is refused. Nodes that run with GATEWAY_CONFIG=postgres load it.",
      "gateway config apply gateway.yaml --note 'a second upstream'"
    )
  )
)

const show = Command.make("show", { version: versionArgument, json }, ({ json, version }) =>
  inDatabase(
    Effect.gen(function* () {
      const { configuration } = yield* Operator
      const stored = yield* configuration.show(Option.getOrUndefined(version))
      yield* print(json, stored, () => stored.document.trimEnd())
    })
  )
).pipe(Command.withDescription(help("Print the newest version, or another.", "gateway config show 3")))

const history = Command.make("history", { limit: limitOption(20), json }, ({ json, limit }) =>
  inDatabase(
    Effect.gen(function* () {
      const { configuration } = yield* Operator
      const versions = yield* configuration.history(limit)
      yield* print(json, versions, () => table(["VERSION", "APPLIED", "BY", "NOTE"], versions.map(row)))
    })
  )
).pipe(Command.withDescription("List applied versions, newest first."))

const rollback = Command.make("rollback", { version: versionArgument, json }, ({ json, version }) =>
  inDatabase(
    Effect.gen(function* () {
      const { configuration } = yield* Operator
      const applied = yield* configuration.rollback(Option.getOrUndefined(version))
      yield* print(json, applied, () => `${applied.note}, as version ${applied.version}; every node loads it.`)
    })
  )
).pipe(
  Command.withDescription(
    help("Apply an earlier version again. By default, the one before the newest.", "gateway config rollback 3")
  )
)

export const configurationCommand: Group = {
  name: "config",
  commands: [remoteLeaf(apply), remoteLeaf(show), remoteLeaf(history), remoteLeaf(rollback)]
}

const row = ({ applied_at, applied_by, note, version }: ConfigurationRecord) => [
  String(version),
  shortTime(applied_at),
  applied_by,
  note ?? ""
]
