import { Command } from "@effect/cli"
import { Cause, Console, Effect } from "effect"
import { version } from "../../package.json"
import { accountsCommand } from "./accounts.ts"
import { auditCommand } from "./audit.ts"
import { checkCommand } from "./check.ts"
import { keysCommand } from "./keys.ts"
import { serveCommand, serveGateway } from "./serve.ts"
import { tasksCommand } from "./tasks.ts"
import { usageCommand } from "./usage.ts"
import { webhooksCommand } from "./webhooks.ts"

const root = Command.make("gateway", {}, () => serveGateway).pipe(
  Command.withDescription("One self-hosted address in front of every model. Without a command: serve."),
  Command.withSubcommands([
    serveCommand,
    checkCommand,
    keysCommand,
    accountsCommand,
    usageCommand,
    tasksCommand,
    webhooksCommand,
    auditCommand
  ])
)

const run = Command.run(root, { name: "Model Gateway", version, executable: "gateway" })

/** The command line. What goes wrong is said on standard error, and the exit code tells its kind (`exitCodes`). */
export const gateway = (args: ReadonlyArray<string>) =>
  run(args).pipe(
    Effect.tapError((error) => ("message" in error ? Console.error(`gateway: ${error.message}`) : Effect.void)),
    Effect.tapDefect((cause) => Console.error(`gateway: internal error: ${Cause.pretty(cause)}`))
  )
