import { Command } from "@effect/cli"
import { Effect } from "effect"
import { leaf } from "./frame/leaf.ts"

const checked = Effect.flatMap(
  Effect.promise(() => import("./checkGateway.ts")),
  ({ checkGateway }) => checkGateway
)

const check = Command.make("check", {}, () => checked).pipe(
  Command.withDescription("Read gateway.yaml and the environment, and print what would be served. Needs no network.")
)

export const checkCommand = leaf(check)
