import { costText } from "../../src/contract/text/usdText.ts"
import { dollars, number, usd } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Bars } from "../parts/Bars.tsx"
import { Block } from "../parts/Block.tsx"
import { Segments } from "../parts/Button.tsx"
import { Part } from "../parts/states.tsx"
import { withQuery } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.account

type Range = keyof typeof text.ranges
const ranges: ReadonlyArray<Range> = ["7", "30", "90"]

const dayMs = 86_400_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Dollars with enough decimals for an axis. */
const axis = (value: number) => usd(value, value >= 10 ? 0 : value >= 0.01 ? 2 : 6)

/** The spend of an account on each day. */
export const AccountSpend = ({ id }: { readonly id: string }) => {
  const { client, go, route } = useApp()
  const { query } = route()
  const range = ranges.find((one) => one === query.get("range")) ?? "30"
  const usage = useData(
    () =>
      client.admin((admin) =>
        admin.adminOperations.usage({
          urlParams: { account: id, by: "day", since: `${Number(range) - 1}d`, limit: 100 }
        })
      ),
    { by: [id, range] }
  )
  return (
    <Block
      title={text.spend}
      actions={
        <Segments
          label={text.range}
          choices={ranges.map((one) => [one, text.ranges[one]] as const)}
          chosen={range}
          choose={(one) => go(withQuery(route(), { range: one === "30" ? "" : one }), "replace")}
        />
      }
    >
      <Part of={usage} what={text.spend}>
        {({ data, totals }) => {
          const days = new Map(data.flatMap((row) => ("group" in row ? [[row.group, row] as const] : [])))
          const bars = Array.from({ length: Number(range) }, (_, index) => {
            const name = dayOf(Date.now() - (Number(range) - 1 - index) * dayMs)
            const row = days.get(name)
            const value = dollars(row?.cost)
            return { name, value, told: text.spendOf(costText(value), number(row?.requests ?? 0)) }
          })
          return totals.requests === 0 && totals.cost.nano_usd === 0 ? (
            <p class="hint">{text.noSpend}</p>
          ) : (
            <Bars
              label={text.spend}
              bars={bars}
              heads={[text.day, text.usd]}
              axis={axis}
              total={text.spendOf(costText(dollars(totals.cost)), number(totals.requests))}
            />
          )
        }}
      </Part>
    </Block>
  )
}
