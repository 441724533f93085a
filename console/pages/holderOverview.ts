import type { RenderPage } from "../app.ts"
import { meter, segments } from "../components/bits.ts"
import { empty, loader } from "../components/states.ts"
import { fill, h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { dollars, usd } from "../format.ts"
import type { Amount } from "../format.ts"
import { pageHead } from "../frame.ts"
import type { Sums } from "../overviewData.ts"
import { ownSums } from "../overviewSource.ts"
import { isRange, ranges } from "../requestFilter.ts"
import { withQuery } from "../router.ts"
import { firstRequest } from "../snippets.ts"
import { words } from "../words/words.ts"
import { costTable } from "./overview.ts"
import { overviewCharts, overviewFigures } from "./overviewCharts.ts"

const text = words.overview

interface Balance {
  readonly account: string
  readonly granted: Amount | null
  readonly settled: Amount
  readonly held: Amount
  readonly available: Amount | null
  readonly budget: { readonly period: string; readonly limit: Amount; readonly spent: Amount } | null
}

const balanceOf = ({ available, budget, granted, held, settled }: Balance): ReadonlyArray<Child> => [
  h(
    "section",
    { class: "holder-balance" },
    h("div", { class: "caption" }, h("h2", {}, text.balance)),
    available === null || granted === null
      ? h("p", {}, text.unmetered, " ", h("span", { class: "faint" }, usd(dollars(settled))))
      : [
          h("p", { class: "num" }, h("b", {}, text.available(usd(dollars(available))))),
          meter(
            dollars(settled) + dollars(held),
            dollars(granted),
            text.spentOf(usd(dollars(settled)), usd(dollars(granted)))
          ),
          h(
            "p",
            { class: "faint num" },
            text.spentOf(usd(dollars(settled)), usd(dollars(granted))),
            dollars(held) > 0 && text.holderHeld(usd(dollars(held)))
          )
        ]
  ),
  budget !== null &&
    h(
      "section",
      { class: "holder-balance" },
      h("div", { class: "caption" }, h("h2", {}, text.keyBudget)),
      meter(
        dollars(budget.spent),
        dollars(budget.limit),
        words.key.spent(usd(dollars(budget.spent)), usd(dollars(budget.limit)), budget.period)
      ),
      h("p", { class: "num" }, words.key.spent(usd(dollars(budget.spent)), usd(dollars(budget.limit)), budget.period))
    )
]

/** The first page of an account holder: the balance and the account's own sums. */
export const holderOverview: RenderPage = (app, main) => {
  const range = h("span")
  const head = pageHead(words.pages.overview, range)
  const area = h("div", { class: "page" })
  fill(main, head.element, area)
  let charts: ReturnType<typeof overviewCharts> | undefined
  const chosen = () => {
    const asked = app.route().query.get("range")
    return isRange(asked) ? asked : "24h"
  }
  const draw = ({ balance, sums }: { readonly balance: Balance; readonly sums: Sums }) => {
    head.note.textContent = balance.account
    if (charts === undefined) charts = overviewCharts(sums)
    else charts.show(sums)
    fill(
      area,
      balanceOf(balance),
      overviewFigures(sums),
      sums.totals.requests === 0 && chosen() === "30d"
        ? empty(app, text.emptyTitle, text.empty, firstRequest(location.origin))
        : charts.element,
      h("section", {}, h("div", { class: "caption" }, h("h2", {}, text.costBy)), costTable(app, sums, "model")),
      h("p", { class: "hint" }, words.requests.afterKill)
    )
  }
  const loading = loader(
    app,
    words.pages.overview,
    area,
    async () => {
      const [balance, sums] = await Promise.all([app.client.json<Balance>("/v1/balance"), ownSums(app, chosen())])
      return { balance, sums }
    },
    draw
  )
  return {
    show() {
      fill(
        range,
        segments(
          text.range,
          Object.keys(ranges).flatMap((name) => (isRange(name) ? [[name, text.ranges[name]] as const] : [])),
          chosen(),
          (name) => app.go(withQuery(app.route(), { range: name }))
        )
      )
      void loading.run(charts !== undefined)
    },
    close() {
      charts?.close()
      loading.close()
    }
  }
}
