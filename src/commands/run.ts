import { ValidationError } from "@effect/cli"
import { FileSystem, Path, Terminal } from "@effect/platform"
import { Effect, Layer } from "effect"
import type { Exit } from "effect"
import { exitCodeOf } from "./exitCodes.ts"
import { launch } from "./frame/launch.ts"
import { runToEnd } from "./runToEnd.ts"

const noTerminal = Effect.dieMessage("this command has no prompt")

/**
 * Stubs for the services that `@effect/cli` needs for file options and prompts. No option is a file, and `init` provides
 * its own terminal: loading the real ones would take longer than most commands run.
 */
const CliServices = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(
    Terminal.Terminal,
    Terminal.Terminal.of({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      isTTY: Effect.succeed(false),
      readInput: noTerminal,
      readLine: noTerminal,
      display: () => noTerminal
    })
  )
)

/** The command of these arguments. */
export const commandOf = (args: ReadonlyArray<string>) => Effect.provide(launch(args), CliServices)

/** The exit code of its result. */
export const codeOf = (exit: Exit.Exit<unknown, unknown>): number => exitCodeOf(exit, ValidationError.isValidationError)

/** Runs a command until it ends or a signal stops it. */
export const run = (args: ReadonlyArray<string>): void => runToEnd(commandOf(args), codeOf)
