import { Command } from "@effect/cli"
import { Effect } from "effect"
import { help, json } from "./options.ts"
import { leaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"

const check = Command.make("check", { json }, ({ json }) =>
  Effect.flatMap(
    Effect.promise(() => import("./checkPrices.ts")),
    ({ checkPrices }) => checkPrices(json)
  )
).pipe(
  Command.withDescription(
    help(
      "Show each model's price and its source. Sources are gateway.yaml, its prices_file and the built-in list. Needs no network.",
      "gateway prices check"
    )
  )
)

export const pricesCommand: Group = { name: "prices", commands: [leaf(check)] }
