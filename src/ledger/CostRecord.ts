import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import type { CostLine } from "./costLines.ts"
import type { Explanation } from "./explain.ts"
import { Money, money } from "./Money.ts"

const Line = Schema.Struct({
  of: answerField(
    Schema.String,
    "What was counted: a kind of tokens (`input_tokens`, `audio_output_tokens`, …), a tool's calls (`web_search`, or `jira/search` of a server), `video_seconds`, `rerank_units`, `images`, `characters`, `audio_seconds`, `request`, or `told`: the amount that the provider says it charged."
  ),
  model: answerField(
    Schema.NullOr(Schema.String),
    "The other model that worked for the answer (a tool's, an advisor, a fallback), at its own price; null for the answer's own."
  ),
  count: answerField(Schema.Number, "How many. No token is counted in two lines."),
  price_usd: answerField(Schema.Number, "The price of `per` of them in dollars, after all factors."),
  per: answerField(Schema.Int, "1000000 for tokens, otherwise 1."),
  usd: answerField(Schema.String, "The product in dollars, with every digit.")
}).annotations({ identifier: "CostLine" })

/** How a cost came about. */
export const CostRecord = Schema.Struct({
  lines: answerField(Schema.Array(Line), "The parts of the cost."),
  factors: answerField(
    Schema.Array(
      Schema.Struct({
        of: answerField(
          Schema.String,
          "`above` (the length of the input), `service_tier`, `speed`, `inference_geo`, `hours` or `factor`, as in `price`."
        ),
        value: answerField(Schema.NullOr(Schema.String), "Its value: `priority`; of `above`, the tokens."),
        factor: answerField(Schema.NullOr(Schema.Number), "The factor; null for rates of its own.")
      })
    ),
    "What changed the prices of tokens, in this order. The lines have it already."
  ),
  sum: answerField(Money, "The sum of the lines, rounded once."),
  charged: answerField(Money, "The charge: the sum, at most what was held for the request."),
  estimated: answerField(Schema.Boolean, "True if the gateway counted because the upstream sent no usable usage.")
}).annotations({ identifier: "RequestCost" })
export type CostRecord = typeof CostRecord.Type

export const costRecord = (
  { factors, lines, nanoUsd }: Explanation,
  row: { readonly costNanoUsd: number; readonly estimated: boolean }
): CostRecord => ({
  lines: lines.map(lineRecord),
  factors: factors.map(({ factor = null, of, value = null }) => ({ of, value, factor })),
  sum: money(nanoUsd),
  charged: money(row.costNanoUsd),
  estimated: row.estimated
})

const lineRecord = (line: CostLine): typeof Line.Type => {
  const { count, model = null, of, per, rate } = line
  const shown = { model, price_usd: rate / 1e9, usd: exactUsd(line) }
  return per === 24 ? { of: "video_seconds", count: count / 24, per: 1, ...shown } : { of, count, per, ...shown }
}

/** A line in dollars: a millionth of a nano-dollar has fifteen decimals. Only parts of a second have more. */
const exactUsd = ({ count, per, rate }: CostLine): string => {
  const digits = ((BigInt(count) * BigInt(rate) * 1_000_000n) / BigInt(per)).toString().padStart(16, "0")
  let end = digits.length
  while (end > digits.length - 13 && digits[end - 1] === "0") end--
  return `${digits.slice(0, -15)}.${digits.slice(-15, end)}`
}
