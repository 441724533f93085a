import { BunContext, BunRuntime } from "@effect/platform-bun"
import { Effect } from "effect"
import { exitCodeOf } from "./exitCodes.ts"
import { gateway } from "./gateway.ts"

/** Runs the command line until it ends or is told to. What it writes is for its user alone. */
export const main = (args: ReadonlyArray<string>): void => {
  process.umask(0o077)
  gateway(args).pipe(
    Effect.provide(BunContext.layer),
    BunRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (exit, onExit) => onExit(exitCodeOf(exit))
    })
  )
}
