import { Cause, Chunk, Console, Effect } from "effect"

/** Prints a line to standard error. */
const report = (message: string) => Console.error(`gateway: ${message}`)

/** The text for a failure; undefined for its own message. */
type MessageOf = (error: unknown) => string | undefined

/** Runs a command and prints its failure or defect to standard error. */
export const reportErrors = <A, E, R>(command: Effect.Effect<A, E, R>, messageOf: MessageOf = () => undefined) =>
  command.pipe(
    Effect.tapError((error) => {
      const message = messageOf(error) ?? (hasMessage(error) ? error.message : undefined)
      return message === undefined ? Effect.void : report(message)
    }),
    // Layers start concurrently: a cause with a failure may also hold a defect with the same origin, such as a full disk.
    Effect.tapErrorCause((cause) =>
      Cause.isFailure(cause) || Chunk.isEmpty(Cause.defects(cause))
        ? Effect.void
        : report(`internal error: ${Cause.pretty(cause)}`)
    )
  )

const hasMessage = (error: unknown): error is { readonly message: string } =>
  typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
