import { Command } from "@effect/cli"
import { Effect } from "effect"

/** Runs until it is told to stop. Loaded when it is wanted: other commands would wait for it for nothing. */
export const serveGateway = Effect.flatMap(
  Effect.promise(() => import("./serveGateway.ts")),
  ({ serveGateway }) => serveGateway
)

export const serveCommand = Command.make("serve", {}, () => serveGateway).pipe(
  Command.withDescription("Serve the gateway until SIGTERM or SIGINT.")
)
