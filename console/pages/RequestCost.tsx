import type { RequestView } from "../../src/requests/RequestView.ts"
import { number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { SmallTable } from "../parts/Table.tsx"
import { Faint, Section } from "../parts/text.tsx"
import { costOf } from "../requestCost.ts"
import type { Cost } from "../requestCost.ts"
import { words } from "../words/words.ts"

const text = words.request

const Lines = ({ cost, request }: { readonly cost: Cost; readonly request: RequestView }) => {
  const [tokens, count, price, dollars] = text.heads
  const { reasoning_tokens: reasoning } = request
  return (
    <>
      <SmallTable
        label={text.costTitle}
        heads={[
          [tokens, "wrap"],
          [count, "right", 64],
          [price, "right", 96],
          [dollars, "right", 96]
        ]}
        rows={cost.lines.map((line) => [
          <>
            {line.kind}
            {line.kind === text.kinds.output && reasoning > 0 && <Faint>{text.reasoning(number(reasoning))}</Faint>}
          </>,
          number(line.count, Number.isInteger(line.count) ? 0 : 2),
          number(line.price, 3),
          number(line.usd, 9)
        ])}
        sum={[text.settled, "", "", number(cost.usd, 9)]}
      />
      {cost.isEstimated && <p class="hint">{text.estimated}</p>}
    </>
  )
}

const noCost = ({ cost_usd, task }: RequestView): string =>
  cost_usd === null || cost_usd === 0 ? (task === null ? text.free : text.ofTask) : text.priceUnknown

/** Tokens × price, as settled. */
export const RequestCost = ({ request }: { readonly request: RequestView }) => {
  const app = useApp()
  const { value } = useData(async () => ({ cost: await costOf(app, request).catch(() => undefined) }), {
    by: [request.request_id]
  })
  if (value === undefined) return null
  return (
    <Section title={text.costTitle}>
      {value.cost === undefined ? <p class="hint">{noCost(request)}</p> : <Lines cost={value.cost} request={request} />}
    </Section>
  )
}
