import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { leaf } from "./frame/leaf.ts"
import { help } from "./options.ts"

const live = Options.boolean("live").pipe(
  Options.withDescription("Also ask every upstream for its models, otherwise for one token, and report problems.")
)

const check = Command.make("check", { live }, ({ live }) =>
  Effect.flatMap(
    Effect.promise(() => import("./checkGateway.ts")),
    ({ checkGateway }) => checkGateway(live)
  )
).pipe(
  Command.withDescription(
    help(
      "Validate gateway.yaml and the environment, and print what would be served. Only --live needs the network.",
      "gateway check",
      "gateway check --live"
    )
  )
)

export const checkCommand = leaf(check)
