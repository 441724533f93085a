import { Cause, Chunk, Console, Effect } from "effect"

/** A line for whoever sits before it. */
const told = (message: string) => Console.error(`gateway: ${message}`)

/** What of a failure is told, where it is not its own message. */
type Words = (error: unknown) => string | undefined

/** Runs a command: what goes wrong is said on standard error. */
export const reportErrors = <A, E, R>(command: Effect.Effect<A, E, R>, words: Words = () => undefined) =>
  command.pipe(
    Effect.tapError((error) => {
      const message = words(error) ?? (hasMessage(error) ? error.message : undefined)
      return message === undefined ? Effect.void : told(message)
    }),
    // Parts start side by side: what keeps one from it (a disk) may be another's defect.
    Effect.tapErrorCause((cause) =>
      Cause.isFailure(cause) || Chunk.isEmpty(Cause.defects(cause))
        ? Effect.void
        : told(`internal error: ${Cause.pretty(cause)}`)
    )
  )

const hasMessage = (error: unknown): error is { readonly message: string } =>
  typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
