import { Data, Effect } from "effect"

/** Somebody else listens there, or nobody may; the message is one line for the operator. */
class PortTaken extends Data.TaggedError("PortTaken")<{ readonly message: string }> {}

/**
 * Takes a port for a moment without sharing it: workers would listen beside whoever has it already, and each would get
 * some of the requests.
 *
 * @param port 0 for any that is free
 * @returns the port
 */
export const ownPort = (hostname: string, port: number): Effect.Effect<number, PortTaken> =>
  Effect.tryPromise({
    try: async () => {
      const taken = Bun.listen({ hostname, port, exclusive: true, socket: { data: () => {} } })
      const found = taken.port
      taken.stop(true)
      return found
    },
    catch: (cause) => {
      const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE"
      return new PortTaken({
        message: `can't listen on ${hostname}:${port}: ${isTaken ? "the port is in use" : "this machine has no such address, or not for us"}`
      })
    }
  })
