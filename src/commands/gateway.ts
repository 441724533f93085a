import { Command } from "@effect/cli"
import { Cause, Chunk, Console, Effect, Option } from "effect"
import { version } from "../../package.json"
import { accountsCommand } from "./accounts.ts"
import { auditCommand } from "./audit.ts"
import { backupCommand, restoreCommand } from "./backup.ts"
import { configurationCommand } from "./configuration.ts"
import { checkCommand } from "./check.ts"
import { databaseCommand } from "./database.ts"
import { keysCommand } from "./keys.ts"
import { migrateCommand } from "./migrate.ts"
import { nodesCommand } from "./nodes.ts"
import { pricesCommand } from "./prices.ts"
import { serveCommand, serveGateway } from "./serve.ts"
import { requestsCommand } from "./requests.ts"
import { tasksCommand } from "./tasks.ts"
import { usageCommand } from "./usage.ts"
import { webhooksCommand } from "./webhooks.ts"

const root = Command.make("gateway", {}, () => serveGateway(Option.none())).pipe(
  Command.withDescription("One self-hosted address in front of every model. Without a command: serve."),
  Command.withSubcommands([
    serveCommand,
    checkCommand,
    migrateCommand,
    databaseCommand,
    pricesCommand,
    keysCommand,
    accountsCommand,
    usageCommand,
    tasksCommand,
    requestsCommand,
    webhooksCommand,
    auditCommand,
    nodesCommand,
    configurationCommand,
    backupCommand,
    restoreCommand
  ])
)

const run = Command.run(root, { name: "Model Gateway", version, executable: "gateway" })

/** The command line. What goes wrong is said on standard error, and the exit code tells its kind (`exitCodes`). */
export const gateway = (args: ReadonlyArray<string>) =>
  run(args).pipe(
    Effect.tapError((error) => ("message" in error ? Console.error(`gateway: ${error.message}`) : Effect.void)),
    // Parts start side by side: what keeps one from it (a disk) may be another's defect.
    Effect.tapErrorCause((cause) =>
      Cause.isFailure(cause) || Chunk.isEmpty(Cause.defects(cause))
        ? Effect.void
        : Console.error(`gateway: internal error: ${Cause.pretty(cause)}`)
    )
  )
