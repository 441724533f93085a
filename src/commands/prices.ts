import { Command } from "@effect/cli"
import { Effect } from "effect"
import { help, json } from "./options.ts"

const check = Command.make("check", { json }, ({ json }) =>
  Effect.flatMap(
    Effect.promise(() => import("./checkPrices.ts")),
    ({ checkPrices }) => checkPrices(json)
  )
).pipe(
  Command.withDescription(
    help(
      "Show what each model costs and where that stands: gateway.yaml, its prices_file, the built-in list. Needs no network.",
      "gateway prices check"
    )
  )
)

export const pricesCommand = Command.make("prices").pipe(
  Command.withDescription("See what models cost."),
  Command.withSubcommands([check])
)
