import { Data, Effect, Option } from "effect"
import { CommandVariables } from "../CommandVariables.ts"
import { wrap } from "../frame/wrap.ts"
import { print } from "../options.ts"
import { oneLine, terminalWidth } from "../table.ts"
import { diagnose } from "./diagnose.ts"
import type { Finding } from "./Finding.ts"
import { hiding } from "./knownSecrets.ts"
import type { NotWritten } from "./writeBundle.ts"

/** Something has to be changed; the findings are printed already. */
export class NotInOrder extends Data.TaggedError("NotInOrder")<{ readonly message: string }> {}

const levelWidth = "problem  ".length
const widest = 80

/** Checks the installation, prints what it finds, and fails if there is a problem. */
export const examine = (asJson: boolean, bundle: Option.Option<string>): Effect.Effect<void, NotInOrder | NotWritten> =>
  Effect.gen(function* () {
    const { findings: found, settings } = yield* diagnose
    const environment = settings?.environment ?? (yield* CommandVariables)
    // Others' answers may repeat what they were sent.
    const hide = hiding(settings, environment)
    const findings = found.map(({ message, ...rest }) => ({ ...rest, message: hide(message) }))
    const { length } = findings.filter(({ level }) => level === "problem")
    yield* print(asJson, { ok: length === 0, findings }, () => findings.map(shown).join("\n"))
    if (Option.isSome(bundle)) {
      const { writeBundle } = yield* Effect.promise(() => import("./writeBundle.ts"))
      yield* writeBundle(bundle.value, findings, settings, environment)
    }
    if (length > 0) return yield* new NotInOrder({ message: length === 1 ? "1 problem" : `${length} problems` })
  })

/** The check and its result, and what to do below it. */
const shown = ({ check, level, message, remedy }: Finding): string => {
  const width = Math.min(terminalWidth() ?? widest, widest) - levelWidth
  const indent = " ".repeat(levelWidth)
  const lines = [
    ...wrap(oneLine(`${check}: ${message}`), width),
    ...(remedy === null ? [] : wrap(oneLine(remedy), width - 3).map((line, at) => `${at === 0 ? "→ " : "  "}${line}`))
  ]
  return lines.map((line, at) => `${at === 0 ? level.padEnd(levelWidth) : indent}${line}`).join("\n")
}
