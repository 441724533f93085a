import { Context } from "effect"
import type { Environment } from "../config/secretVariable.ts"

/** The environment's variables that a command reads: a copy, since a serving process changes its own. */
export class CommandVariables extends Context.Reference<CommandVariables>()("gateway/commands/CommandVariables", {
  defaultValue: (): Environment => ({ ...process.env })
}) {}
