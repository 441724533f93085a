import { Clock, Effect, Redacted, Ref } from "effect"
import type { Printed } from "./SecretFiles.ts"
import { runCommand } from "./secretCommand.ts"

/** The outputs of a configuration's commands, by command. */
export type Outputs = ReadonlyMap<string, Printed>

/**
 * A pass over the commands of secrets: runs those that are due again. One that fails keeps what it printed before, and is
 * due again as late as one that succeeds.
 *
 * @param current the outputs that are in effect; each reload makes a map of its own
 * @returns the names of the programs that printed something else
 */
export const makeCommandsPass = (current: () => Outputs): Effect.Effect<Effect.Effect<ReadonlyArray<string>>> =>
  Effect.map(Ref.make<{ readonly of: Outputs; readonly at: ReadonlyMap<string, number> }>(none), (asked) =>
    Effect.gen(function* () {
      const outputs = current()
      const nowMs = yield* Clock.currentTimeMillis
      const before = yield* Ref.get(asked)
      const at = new Map(before.of === outputs ? before.at : [])
      const changed: Array<string> = []
      for (const [key, { atMs, command, folder, output, refreshMs }] of outputs) {
        if ((at.get(key) ?? atMs) + refreshMs > nowMs) continue
        at.set(key, nowMs)
        const printed = yield* Effect.either(runCommand(command, folder))
        if (printed._tag === "Left") {
          yield* Effect.annotateLogs(
            Effect.logWarning(`${printed.left}: the secret that it printed before stays in effect`),
            {
              event: "config.command_failed"
            }
          )
        } else if (printed.right !== Redacted.value(output)) changed.push(command[0] ?? "")
      }
      yield* Ref.set(asked, { of: outputs, at })
      return changed
    })
  )

const none = { of: new Map(), at: new Map() }
