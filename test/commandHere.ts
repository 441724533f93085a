import { Effect } from "effect"
import { codeOf, commandOf } from "../src/commands/run.ts"
import { CommandVariables } from "../src/commands/CommandVariables.ts"
import type { CommandResult } from "./e2e/command.ts"
import { placedIn } from "./gatewayHere.ts"

/**
 * Runs one command in the test's own process, as in a folder: the twin of `runCommand` of `e2e/command.ts`, without the start
 * of a process, which takes longer than most commands. Paths in its arguments are absolute; it has no input, no terminal and no signals, and `requests export`,
 * which writes to the process's own output, is not for it.
 */
export const runCommand = async (
  folder: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<CommandResult> => {
  let [out, err] = ["", ""]
  const toOut = (text: unknown) => void (out += `${String(text)}\n`)
  const toErr = (text: unknown) => void (err += `${String(text)}\n`)
  const exit = await Effect.console.pipe(
    Effect.flatMap((console) =>
      Effect.withConsole(commandOf(args), {
        ...console,
        log: (text) => Effect.sync(() => toOut(text)),
        error: (text) => Effect.sync(() => toErr(text)),
        unsafe: { ...console.unsafe, log: toOut, error: toErr }
      })
    ),
    Effect.provideService(CommandVariables, { USER: "operator", HOME: folder, ...placedIn(folder, env) }),
    Effect.withTracerEnabled(false),
    Effect.runPromiseExit
  )
  return { code: codeOf(exit), out, err, json: () => JSON.parse(out) }
}
