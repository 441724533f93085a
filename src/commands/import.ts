import { Args, Command, Options } from "@effect/cli"
import { Clock, Console, Effect, Layer, Option } from "effect"
import { planOf } from "../litellm/planOf.ts"
import { Importing } from "../litellm/Importing.ts"
import type { Imported } from "../litellm/Importing.ts"
import { noRows, readDatabase } from "../litellm/store/readDatabase.ts"
import { readFile } from "../litellm/readFile.ts"
import type { Plan } from "../litellm/Plan.ts"
import { logger } from "./administer.ts"
import { CommandVariables } from "./CommandVariables.ts"
import { leaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { checkFiles, filesOf, writeFiles } from "./importFiles.ts"
import { importedText, notesText, planText } from "./importPlan.ts"
import { actorOf, openDatabase } from "./operator/local.ts"
import { help, json, optionalText } from "./options.ts"
import { CommandSettings } from "./settings.ts"

const file = Args.text({ name: "CONFIG" }).pipe(Args.withDescription("LiteLLM's config.yaml."))
const database = Options.text("database").pipe(
  Options.withPseudoName("URL"),
  Options.withDescription(
    "LiteLLM's database, postgres://…, which is only read: teams, keys, budgets and their spend."
  ),
  Options.optional
)
const write = Options.boolean("write").pipe(
  Options.withDescription("Make accounts, keys and budgets in the gateway's database, and print gateway.yaml.")
)
const out = optionalText(
  "out",
  "With --write: where gateway.yaml goes, with gateway.env beside it if there are secrets."
)

const litellm = Command.make("litellm", { file, database, write, out, json }, ({ database, file, json, out, write }) =>
  Effect.gen(function* () {
    const env = yield* CommandVariables
    const rows = yield* Option.match(database, { onNone: () => Effect.succeed(noRows), onSome: readDatabase })
    const plan = yield* planOf(yield* readFile(file), rows, { env, nowMs: yield* Clock.currentTimeMillis })
    if (!write) {
      return yield* Console.log(json ? jsonOf(plan, undefined) : planText(plan, Option.isSome(database)))
    }
    const files = Option.match(out, { onNone: () => [], onSome: (path) => filesOf(plan, path) })
    yield* checkFiles(files)
    const imported = yield* Option.isNone(database) ? Effect.succeed(undefined) : written(plan)
    const made = yield* writeFiles(files)
    if (json) return yield* Console.log(jsonOf(plan, imported))
    const told = [
      ...(imported === undefined ? [] : [importedText(imported)]),
      ...(made.length === 0 ? [] : [`Wrote ${made.join(" and ")}.`]),
      notesText(plan)
    ].join("\n\n")
    // Standard output is gateway.yaml alone where no file is named.
    if (Option.isSome(out)) return yield* Console.log(told)
    yield* Console.log(plan.configuration.trimEnd())
    yield* Console.error(told)
    const missing = [...plan.secrets.keys()]
    if (missing.length > 0) {
      yield* Console.error(`\nIts secrets are not printed; --out writes them to gateway.env: ${missing.join(", ")}`)
    }
  }).pipe(Effect.provide(logger))
).pipe(
  Command.withDescription(
    help(
      "Take over LiteLLM's models, teams, virtual keys and budgets. Without --write, print what would become of them. Clients' keys work unchanged.",
      "gateway import litellm config.yaml --database postgres://litellm@db/litellm",
      "gateway import litellm config.yaml --database postgres://… --write --out gateway.yaml"
    )
  )
)

const written = (plan: Plan) =>
  Effect.gen(function* () {
    const importing = yield* Importing
    return yield* importing.write(actorOf(yield* CommandVariables), plan)
  }).pipe(
    Effect.catchTag("SqlError", Effect.die),
    Effect.provide(Importing.Default.pipe(Layer.provide(openDatabase(true)), Layer.provide(CommandSettings)))
  )

/** Without the values of secrets. */
const jsonOf = ({ secrets, ...plan }: Plan, imported: Imported | undefined) =>
  JSON.stringify({ ...plan, secrets: [...secrets.keys()], ...(imported === undefined ? {} : { imported }) }, null, 2)

export const importCommand: Group = { name: "import", commands: [leaf(litellm)] }
