import { Cause, Effect, Option } from "effect"
import { problem } from "./Finding.ts"
import type { Finding } from "./Finding.ts"

/** How long a check may take. */
const patience = "15 seconds"

/**
 * Runs a check. One that fails, breaks or does not answer is a problem with this remedy; nothing waits for it to end.
 */
export const within = <E extends { readonly message: string }, R>(
  name: string,
  remedy: string | ((message: string) => string),
  check: Effect.Effect<ReadonlyArray<Finding>, E, R>
): Effect.Effect<ReadonlyArray<Finding>, never, R> => {
  const failed = (message: string) => [problem(name, message, typeof remedy === "string" ? remedy : remedy(message))]
  return check.pipe(
    Effect.catchAllCause((cause) => Effect.succeed(failed(reasonOf(cause)))),
    Effect.disconnect,
    Effect.timeoutTo({
      duration: patience,
      onSuccess: (findings) => findings,
      onTimeout: () => failed(`no answer within ${patience}`)
    })
  )
}

const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => `the check itself failed: ${Cause.pretty(cause).split("\n")[0]}`,
    onSome: ({ message }) => message
  })
