import { Command } from "@effect/cli"
import { Effect } from "effect"

const check = Effect.flatMap(
  Effect.promise(() => import("./checkGateway.ts")),
  ({ checkGateway }) => checkGateway
)

export const checkCommand = Command.make("check", {}, () => check).pipe(
  Command.withDescription("Read gateway.yaml and the environment, and print what would be served. Needs no network.")
)
