import { ValidationError } from "@effect/cli"
import { FileSystem, Path, Terminal } from "@effect/platform"
import { Effect, Layer } from "effect"
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

/** Runs a command until it ends or a signal stops it. */
export const run = (args: ReadonlyArray<string>): void =>
  runToEnd(Effect.provide(launch(args), CliServices), (exit) => exitCodeOf(exit, ValidationError.isValidationError))
