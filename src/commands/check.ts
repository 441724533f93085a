import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { leaf } from "./frame/leaf.ts"
import { help } from "./options.ts"

const live = Options.boolean("live").pipe(
  Options.withDescription("Also ask every upstream which models it has, else for one token, and say what is wrong.")
)

const check = Command.make("check", { live }, ({ live }) =>
  Effect.flatMap(
    Effect.promise(() => import("./checkGateway.ts")),
    ({ checkGateway }) => checkGateway(live)
  )
).pipe(
  Command.withDescription(
    help(
      "Read gateway.yaml and the environment, and print what would be served. Needs no network, but for --live.",
      "gateway check",
      "gateway check --live"
    )
  )
)

export const checkCommand = leaf(check)
