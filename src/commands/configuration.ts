import { Args, Command } from "@effect/cli"
import { Effect, Layer, Option } from "effect"
import { Administration } from "../admin/Administration.ts"
import type { ConfigurationRecord } from "../admin/ConfigurationAdministration.ts"
import { sectionOf } from "../config/databaseSettings.ts"
import { readGatewayText, readText } from "../config/source.ts"
import { writtenSecret } from "../config/writtenSecrets.ts"
import { logger } from "./administering.ts"
import { actor, administration } from "./operator/local.ts"
import { leaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { help, json, limitOption, optionalText, print, shortTime } from "./options.ts"
import { WithoutFile } from "./settings.ts"
import { table } from "./table.ts"

const versionArgument = Args.integer({ name: "version" }).pipe(
  Args.withDescription("Its number, of `gateway config history`."),
  Args.optional
)

/** Works on the database that the environment names, whatever is in it: also where this machine could not start with that. */
const inDatabase = <A, E>(command: Effect.Effect<A, E, Administration>) =>
  command.pipe(Effect.provide(administration(false).pipe(Layer.provide(WithoutFile), Layer.provideMerge(logger))))

/** The text of a file that every node could start with, as far as it can be told from here. */
const readThrough = (path: string) =>
  Effect.gen(function* () {
    const text = yield* readText(path)
    const file = yield* readGatewayText(path, text, process.env)
    const { checked } = yield* Effect.promise(() => import("./checkGateway.ts"))
    yield* checked(file)
    if (sectionOf(file.value.database).url !== undefined) {
      return yield* file.complain(
        ["database"],
        "database: its address is GATEWAY_DATABASE_URL's alone, by which this is found"
      )
    }
    const secret = writtenSecret(text, file)
    if (secret !== undefined) return yield* secret
    return text
  })

const apply = Command.make(
  "apply",
  {
    file: Args.text({ name: "file" }).pipe(Args.withDescription("A gateway.yaml.")),
    note: optionalText("note", "Why, for the history."),
    json
  },
  ({ file, json, note }) =>
    inDatabase(
      Effect.gen(function* () {
        const document = yield* readThrough(file)
        const { configuration } = yield* Administration
        const applied = yield* configuration.apply({ actor, document, note: Option.getOrNull(note) })
        yield* print(json, applied, () => `${file} is version ${applied.version}; every node takes it over.`)
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Make a file the configuration of all nodes. One that is not in order is refused. Nodes that run with GATEWAY_CONFIG=postgres take it over.",
      "gateway config apply gateway.yaml --note 'a second upstream'"
    )
  )
)

const show = Command.make("show", { version: versionArgument, json }, ({ json, version }) =>
  inDatabase(
    Effect.gen(function* () {
      const { configuration } = yield* Administration
      const found = yield* configuration.show(Option.getOrUndefined(version))
      yield* print(json, found, () => found.document.trimEnd())
    })
  )
).pipe(Command.withDescription(help("Print the newest version, or another.", "gateway config show 3")))

const history = Command.make("history", { limit: limitOption(20), json }, ({ json, limit }) =>
  inDatabase(
    Effect.gen(function* () {
      const { configuration } = yield* Administration
      const found = yield* configuration.history(limit)
      yield* print(json, found, () => table(["VERSION", "APPLIED", "BY", "NOTE"], found.map(row)))
    })
  )
).pipe(Command.withDescription("List what was applied, newest first."))

const rollback = Command.make("rollback", { version: versionArgument, json }, ({ json, version }) =>
  inDatabase(
    Effect.gen(function* () {
      const { configuration } = yield* Administration
      const applied = yield* configuration.rollback(actor, Option.getOrUndefined(version))
      yield* print(json, applied, () => `${applied.note}, as version ${applied.version}; every node takes it over.`)
    })
  )
).pipe(
  Command.withDescription(
    help(
      "Apply an earlier version once more. The one before the newest where none is named.",
      "gateway config rollback 3"
    )
  )
)

export const configurationCommand: Group = {
  name: "config",
  commands: [leaf(apply), leaf(show), leaf(history), leaf(rollback)]
}

const row = ({ applied_at, applied_by, note, version }: ConfigurationRecord) => [
  String(version),
  shortTime(applied_at),
  applied_by,
  note ?? ""
]
