import { ValidationError } from "@effect/cli"
import { Cause, Exit, Option } from "effect"

/** What the process tells whoever called it. */
const exitCodes = { ok: 0, failed: 1, usage: 2, notFound: 3, conflict: 4 } as const

/** What a script can act on without reading the message. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return exitCodes.ok
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (ValidationError.isValidationError(failure)) return exitCodes.usage
  switch (tagOf(failure)) {
    case "InvalidRequest":
      return exitCodes.usage
    case "NotFound":
      return exitCodes.notFound
    case "Conflict":
      return exitCodes.conflict
    default:
      return exitCodes.failed
  }
}

const tagOf = (failure: unknown) =>
  typeof failure === "object" && failure !== null && "_tag" in failure ? failure._tag : undefined
