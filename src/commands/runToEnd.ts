import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import type { Effect, Exit } from "effect"

/** Runs the process's work until it ends or a signal stops it, then exits with `exitCodeOf` its result. */
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
