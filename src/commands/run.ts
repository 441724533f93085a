import { ValidationError } from "@effect/cli"
import { FileSystem, Path, Terminal } from "@effect/platform"
import { Effect, Layer } from "effect"
import { exitCodeOf } from "./exitCodes.ts"
import { launch } from "./frame/launch.ts"
import { runToEnd } from "./runToEnd.ts"

const nobody = Effect.dieMessage("this command asks nobody")

/**
 * What the library wants to read options that are files, and to ask people. No option is one, and who asks brings the
 * terminal along: to load them would take longer than most commands do.
 */
const Quick = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(
    Terminal.Terminal,
    Terminal.Terminal.of({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      isTTY: Effect.succeed(false),
      readInput: nobody,
      readLine: nobody,
      display: () => nobody
    })
  )
)

/** Runs a command until it ends or is told to. */
export const run = (args: ReadonlyArray<string>): void =>
  runToEnd(Effect.provide(launch(args), Quick), (exit) => exitCodeOf(exit, ValidationError.isValidationError))
