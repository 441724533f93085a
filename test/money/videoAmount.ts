import type { PriceInUsd } from "../../src/ledger/videoPrice.ts"
import type { BillLine } from "../upstreams/fakes/bill.ts"

const nano = (usd: number) => Math.round(Number((usd * 1e9).toPrecision(15)))

/** A line's amount by the page of prices, in nano-dollars. */
export const amountOf = (usd: PriceInUsd, line: BillLine): number => {
  const rates = (line.hasVideoInput ? usd.with_video : undefined) ?? (line.hasSound ? usd.with_audio : undefined) ?? {}
  const rateOf = (rate: PriceInUsd["output"] = 0) =>
    nano((typeof rate === "number" ? rate : (rate[line.resolution] ?? Math.max(...Object.values(rate)))) * share)
  const share = line.tier === "flex" ? (usd.flex ?? 1) : 1
  const { free = 0, usd: image = 0 } = usd.per_input_image ?? {}
  const images = nano(Math.max(0, (line.images ?? 0) - free) * image)
  return line.tokens === undefined
    ? images + (line.seconds ?? 0) * rateOf(rates.per_second ?? usd.per_second)
    : images + Math.round((line.tokens * rateOf(rates.output ?? usd.output)) / 1e6)
}
