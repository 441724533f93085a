import type { ComponentChildren } from "preact"
import { gatewayUrl } from "../address.ts"
import { dollars, usd } from "../format.ts"
import type { Amount } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useHeld } from "../hooks/useHeld.ts"
import { groupingOf, groupsOf, hasNone, ownOverviewOf, textOf } from "../overviewSource.ts"
import type { Dimension } from "../overviewSource.ts"
import { Empty, Part } from "../parts/states.tsx"
import { Meter, PageHead } from "../parts/text.tsx"
import { firstRequest } from "../snippets.ts"
import { spanOf } from "../spans.ts"
import { words } from "../words/words.ts"
import { OverviewCharts, OverviewFigures } from "./OverviewCharts.tsx"
import { SpanPicker } from "./SpanPicker.tsx"
import { TrafficTable } from "./TrafficTable.tsx"

const text = words.overview

/** The groupings of an account's own requests. */
const choices: ReadonlyArray<Dimension> = ["model", "key", "tag", "user", "service_tier"]

interface Standing {
  readonly granted: Amount | null
  readonly settled: Amount
  readonly held: Amount
  readonly available: Amount | null
  readonly budget: { readonly period: string; readonly limit: Amount; readonly spent: Amount } | null
}

const Balanced = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="holder-balance">
    <div class="caption">
      <h2>{title}</h2>
    </div>
    {children}
  </section>
)

const Balance = ({ of: { available, budget, granted, held, settled } }: { readonly of: Standing }) => {
  const spent = granted === null ? "" : text.spentOf(usd(dollars(settled)), usd(dollars(granted)))
  const ofBudget =
    budget === null ? "" : words.key.spent(usd(dollars(budget.spent)), usd(dollars(budget.limit)), budget.period)
  return (
    <>
      <Balanced title={text.balance}>
        {available === null || granted === null ? (
          <p>
            {text.unmetered} <span class="faint">{usd(dollars(settled))}</span>
          </p>
        ) : (
          <>
            <p class="num">
              <b>{text.available(usd(dollars(available)))}</b>
            </p>
            <Meter used={dollars(settled) + dollars(held)} most={dollars(granted)} label={spent} />
            <p class="faint num">
              {spent}
              {dollars(held) > 0 && text.holderHeld(usd(dollars(held)))}
            </p>
          </>
        )}
      </Balanced>
      {budget !== null && (
        <Balanced title={text.keyBudget}>
          <Meter used={dollars(budget.spent)} most={dollars(budget.limit)} label={ofBudget} />
          <p class="num">{ofBudget}</p>
        </Balanced>
      )}
    </>
  )
}

/** The first page of an account holder: the balance and the account's own traffic. */
export const HolderOverview = () => {
  const app = useApp()
  const { query } = app.route()
  const asked = groupingOf(query)
  const grouping = choices.includes(asked.first) ? asked : { first: "model" as const, second: undefined }
  const by = textOf(grouping)
  const loaded = useHeld(
    useData(
      async () => {
        const span = spanOf(query, Date.now())
        const [balance, steps, groups] = await Promise.all([
          app.client.own((own) => own.account.balance()),
          ownOverviewOf(app, span),
          groupsOf(app, span, by)
        ])
        const isBare = groups.total.requests === 0 && (await hasNone(app))
        return { balance, steps, groups, grouping, span, isBare }
      },
      { by: [by, query.get("range"), query.get("t")], on: ["account"] }
    )
  )
  return (
    <>
      <PageHead title={words.pages.overview} note={loaded.value?.balance.account} />
      <div class="page">
        <SpanPicker span={spanOf(query, Date.now())} />
        <Part of={loaded} what={words.pages.overview}>
          {({ balance, groups, grouping, isBare, span, steps }) => (
            <>
              <Balance of={balance} />
              <OverviewFigures of={groups.total} />
              {isBare ? (
                <Empty title={text.emptyTitle} snippets={firstRequest(gatewayUrl)}>
                  {text.empty}
                </Empty>
              ) : (
                <>
                  <OverviewCharts of={steps} nameOf={(name) => (name === "" ? text.untagged : name)} />
                  <TrafficTable groups={groups} grouping={grouping} span={span} choices={choices} />
                </>
              )}
              <p class="hint">{words.requests.afterKill}</p>
            </>
          )}
        </Part>
      </div>
    </>
  )
}
