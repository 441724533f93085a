import { BunContext, BunRuntime } from "@effect/platform-bun"
import { Effect } from "effect"
import { exitCodeOf } from "./exitCodes.ts"
import { launch } from "./frame/launch.ts"

/** Runs a command until it ends or is told to. */
export const run = (args: ReadonlyArray<string>): void => {
  launch(args).pipe(
    Effect.provide(BunContext.layer),
    BunRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (exit, onExit) => onExit(exitCodeOf(exit))
    })
  )
}
