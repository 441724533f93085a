import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import type { Effect, Exit } from "effect"

/** Runs what the process is there for until it ends or is told to; its exit code is what it came to. */
export const runToEnd = <A, E>(
  work: Effect.Effect<A, E>,
  exitCodeOf: (exit: Exit.Exit<unknown, unknown>) => number
): void => {
  BunRuntime.runMain(work, {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, onExit) => onExit(exitCodeOf(exit))
  })
}
