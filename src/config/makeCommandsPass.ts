import { Clock, Effect, Redacted, Ref } from "effect"
import type { Printed } from "./SecretFiles.ts"
import { runCommand } from "./secretCommand.ts"

/** The outputs of a configuration's commands, by command. */
export type Outputs = ReadonlyMap<string, Printed>

/** The outcome of a pass. */
interface Pass {
  /** The names of the programs that printed something else. */
  readonly changed: ReadonlyArray<string>
  /** Why the last run of a command failed, as long as it does. */
  readonly failure: string | undefined
}

/**
 * A pass over the commands of secrets: runs those that are due again. One that fails keeps what it printed before, and is
 * due again as late as one that succeeds.
 *
 * @param current the outputs that are in effect; each reload makes a map of its own
 */
export const makeCommandsPass = (current: () => Outputs): Effect.Effect<Effect.Effect<Pass>> =>
  Effect.map(Ref.make<CommandRuns>(none), (asked) =>
    Effect.gen(function* () {
      const outputs = current()
      const nowMs = yield* Clock.currentTimeMillis
      const before = yield* Ref.get(asked)
      const at = new Map(before.of === outputs ? before.at : [])
      const failures = new Map(before.of === outputs ? before.failures : [])
      const changed: Array<string> = []
      for (const [key, { atMs, command, folder, output, refreshMs }] of outputs) {
        if ((at.get(key) ?? atMs) + refreshMs > nowMs) continue
        at.set(key, nowMs)
        const printed = yield* Effect.either(runCommand(command, folder))
        if (printed._tag === "Left") {
          const failure = `${printed.left}: the secret that it printed before stays in effect`
          failures.set(key, failure)
          yield* Effect.annotateLogs(Effect.logWarning(failure), { event: "config.command_failed" })
          continue
        }
        failures.delete(key)
        if (printed.right !== Redacted.value(output)) changed.push(command[0] ?? "")
      }
      yield* Ref.set(asked, { of: outputs, at, failures })
      const [failure] = failures.values()
      return { changed, failure }
    })
  )

interface CommandRuns {
  readonly of: Outputs
  /** When each command was run, in Unix ms. */
  readonly at: ReadonlyMap<string, number>
  /** Of those whose last run failed. */
  readonly failures: ReadonlyMap<string, string>
}

const none: CommandRuns = { of: new Map(), at: new Map(), failures: new Map() }
