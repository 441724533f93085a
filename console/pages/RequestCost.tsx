import type { CostRecord } from "../../src/ledger/CostRecord.ts"
import type { RequestDetail } from "../../src/requests/RequestView.ts"
import { dollars, number } from "../format.ts"
import { SmallTable } from "../parts/Table.tsx"
import { Faint, Section } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.request

type Line = CostRecord["lines"][number]
type Factor = CostRecord["factors"][number]

const kindOf = ({ of }: Line): string => text.kinds[of] ?? of

const factorText = ({ factor, of, value }: Factor): string =>
  [text.factors[of] ?? of, value, factor === null ? text.ownRates : `× ${factor}`]
    .filter((part) => part !== null)
    .join(" ")

const Lines = ({ cost: { charged, estimated, factors, lines, sum } }: { readonly cost: CostRecord }) => {
  const [tokens, count, price, usd] = text.heads
  const isCut = charged.nano_usd < sum.nano_usd
  return (
    <>
      <SmallTable
        label={text.costTitle}
        heads={[
          [tokens, "wrap"],
          [count, "right", 64],
          [price, "right", 96],
          [usd, "right", 96]
        ]}
        rows={[
          ...lines.map((line) => [
            <>
              {kindOf(line)}
              {line.model !== null && <Faint>{text.lineModel(line.model)}</Faint>}
            </>,
            number(line.count, Number.isInteger(line.count) ? 0 : 2),
            number(line.price_usd, 3),
            number(Number(line.usd), 9)
          ]),
          ...(isCut ? [[text.sum, "", "", number(dollars(sum), 9)]] : [])
        ]}
        sum={[text.settled, "", "", number(dollars(charged), 9)]}
      />
      {factors.length > 0 && <p class="hint">{text.pricesBy(factors.map(factorText).join(" · "))}</p>}
      {isCut && <p class="hint">{text.cutToHold}</p>}
      {estimated && <p class="hint">{text.estimated}</p>}
    </>
  )
}

const noCost = ({ cost_usd, task }: RequestDetail): string =>
  cost_usd === null || cost_usd === 0 ? (task === null ? text.free : text.ofTask) : text.priceUnknown

/** Tokens × price, as settled. */
export const RequestCost = ({ request }: { readonly request: RequestDetail }) => (
  <Section title={text.costTitle}>
    {request.cost === null || request.cost === undefined ? (
      <p class="hint">{noCost(request)}</p>
    ) : (
      <Lines cost={request.cost} />
    )}
  </Section>
)
