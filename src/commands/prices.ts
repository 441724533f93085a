import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import type { PriceListRecord } from "../admin/PriceListRecord.ts"
import { usdText } from "../contract/text/usdText.ts"
import { administer } from "./administer.ts"
import { help, json, print } from "./options.ts"
import { leaf, remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { Operator } from "./operator/Operator.ts"
import { table } from "./table.ts"

const check = Command.make("check", { json }, ({ json }) =>
  Effect.flatMap(
    Effect.promise(() => import("./checkPrices.ts")),
    ({ checkPrices }) => checkPrices(json)
  )
).pipe(
  Command.withDescription(
    help(
      "Show each model's price and its source. Sources are gateway.yaml, its prices_file, the fetched list and the built-in list. Needs no network.",
      "gateway prices check"
    )
  )
)

const accept = Options.boolean("accept").pipe(
  Options.withDescription("Also use prices that move more than tenfold, and a list that lost more than half.")
)

const refresh = Command.make("refresh", { accept, json }, ({ accept, json }) =>
  administer(
    Effect.gen(function* () {
      const { prices } = yield* Operator
      const list = yield* prices.refresh(accept)
      yield* print(json, list, () => words(list))
    }),
    { mayCreate: true }
  )
).pipe(
  Command.withDescription(
    help(
      "Fetch the published list of prices. It comes from `prices.from` of gateway.yaml, by default LiteLLM's list. All nodes use it within half a minute; gateway.yaml and its prices_file still win. A price that is more than tenfold from the one last accepted, or from the built-in list, is named and not used without --accept. `prices.refresh_hours` fetches it regularly.",
      "gateway prices refresh",
      "gateway prices refresh --accept",
      "gateway prices refresh --url https://gateway.example.com"
    )
  )
)

const reset = Command.make("reset", { json }, ({ json }) =>
  administer(
    Effect.gen(function* () {
      const { prices } = yield* Operator
      const deleted = yield* prices.reset
      yield* print(json, { deleted }, () =>
        deleted ? "The fetched list is deleted: the built-in list counts." : "There is no fetched list."
      )
    })
  )
).pipe(
  Command.withDescription(
    help(
      "Delete the fetched list of prices, so that the built-in list counts. `prices.refresh_hours` fetches it again.",
      "gateway prices reset"
    )
  )
)

export const pricesCommand: Group = {
  name: "prices",
  commands: [leaf(check), remoteLeaf(refresh), remoteLeaf(reset)]
}

const words = ({ accepted, changed, moved, moves, prices, source }: PriceListRecord): string => {
  const fetched = `${prices.toLocaleString("en")} prices from ${source}, ${changed.toLocaleString("en")} of them changed.`
  if (moved === 0) return fetched
  const shown = table(
    ["MODEL", "ACCEPTED (in + out)", "IN USE", "IN THE LIST"],
    moves.map(({ base, before, name, offered }) => [name, pair(base), pair(before), pair(offered)])
  )
  const others = moved > moves.length ? `\nand ${moved - moves.length} more` : ""
  const use = accepted
    ? "They are used, since --accept was given."
    : "The prices before them stay in use; `gateway prices refresh --accept` uses those of the list."
  return `${fetched}\n\n${moved} moved more than tenfold since they were accepted. ${use}\n\n${shown}${others}`
}

const pair = ({ input, output, per_second }: PriceListRecord["moves"][number]["before"]): string =>
  per_second > 0 ? `${usdText(per_second)} a second` : `${usdText(input)} + ${usdText(output)}`
