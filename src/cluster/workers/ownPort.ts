import { Data, Effect } from "effect"

/** The port is not available; the message is one line for the operator. */
export class PortTaken extends Data.TaggedError("PortTaken")<{ readonly message: string }> {}

/**
 * Checks that no other program listens on a port, by briefly listening exclusively. Workers share ports, and would
 * otherwise split the requests with that program.
 *
 * @param port 0 picks a free port
 * @param setting its section, if that is not `server`
 * @returns the port
 */
export const ownPort = (hostname: string, port: number, setting?: string): Effect.Effect<number, PortTaken> =>
  Effect.tryPromise({
    try: async () => {
      const listener = Bun.listen({ hostname, port, exclusive: true, socket: { data: () => {} } })
      const actual = listener.port
      listener.stop(true)
      return actual
    },
    catch: (cause) => {
      const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE"
      return new PortTaken({
        message: `can't listen on ${hostname}:${port}${setting === undefined ? "" : ` (${setting})`}: ${isTaken ? "the port is in use" : "this machine has no such address, or access is denied"}`
      })
    }
  })
