import { Cause, Exit, Option } from "effect"

/** Exit codes of the process. */
const exitCodes = { ok: 0, failed: 1, usage: 2, notFound: 3, conflict: 4 } as const

/**
 * The exit code of a command's result.
 * @param isUsage true for a failure to parse the arguments
 */
export const exitCodeOf = (
  exit: Exit.Exit<unknown, unknown>,
  isUsage: (failure: unknown) => boolean = () => false
): number => {
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return exitCodes.ok
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (isUsage(failure)) return exitCodes.usage
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
