import { costText } from "../../src/contract/text/usdText.ts"
import type { TrafficCost } from "../../src/requests/TrafficCost.ts"
import { dollars, usd, number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { costOn } from "../overviewSource.ts"
import { Part } from "../parts/states.tsx"
import { Table } from "../parts/Table.tsx"
import { Cost } from "../parts/text.tsx"
import { withQuery } from "../router.ts"
import type { Span } from "../spans.ts"
import { words } from "../words/words.ts"

const text = words.overview

const difference = (now: number, there: number): string => {
  if (now === 0) return ""
  const share = `${number(Math.abs(100 * (there / now - 1)), 1)} %`
  return ` (${there <= now ? text.elsewhereLess(share) : text.elsewhereMore(share)})`
}

const Answer = ({ of: { data, model, not_priced, rows_since, total } }: { readonly of: TrafficCost }) => {
  const [now, there] = [dollars(total.cost), dollars(total.cost_there)]
  return (
    <>
      <p class="num">
        <b>{text.elsewhereSum(now === 0 ? text.elsewhereNothing : usd(now), model, costText(there))}</b>
        {difference(now, there)}
      </p>
      <Table
        label={text.elsewhere}
        look="stacks"
        rows={data}
        keyOf={(row) => `${row.model} ${String(row.cost_there === null)}`}
        columns={[
          { head: text.elsewhereColumns.model, look: "whole", cell: (row) => row.model },
          { head: text.elsewhereColumns.requests, width: 100, look: "right", cell: (row) => number(row.requests) },
          {
            head: text.elsewhereColumns.cost,
            width: 110,
            look: "right",
            cell: (row) => <Cost of={dollars(row.cost)} />
          },
          {
            head: text.elsewhereColumns.there,
            width: 110,
            look: "right",
            cell: (row) => <Cost of={row.cost_there === null ? null : dollars(row.cost_there)} />
          }
        ]}
      />
      {not_priced > 0 && <p class="hint">{text.elsewhereNot(number(not_priced))}</p>}
      {rows_since !== undefined && <p class="hint">{text.elsewhereGone(rows_since.slice(0, 10))}</p>}
    </>
  )
}

const Priced = ({ model, span }: { readonly model: string; readonly span: Span }) => {
  const app = useApp()
  // A span up to now moves with each refresh and is the same by its name. The address has the next one before this page has.
  const times = span.name ?? `${span.from}-${span.to}`
  const cost = useData(() => costOn(app, span, model), { by: [model, times] })
  return (
    <Part of={cost} what={text.elsewhere}>
      {(found) => <Answer of={found} />}
    </Part>
  )
}

/** The cost that the traffic of a span would have had by another model's price. */
export const CostElsewhere = ({ span }: { readonly span: Span }) => {
  const app = useApp()
  const models = useData(
    async () => (await app.client.admin((admin) => admin.adminOperations.models({ urlParams: {} }))).data
  )
  const chosen = app.route().query.get("on") ?? ""
  const priced = (models.value ?? []).filter(({ kind, price }) => kind !== "video" && price !== null)
  return (
    <section class="elsewhere">
      <div class="caption">
        <h2>{text.elsewhere}</h2>
        <select
          class="select"
          aria-label={text.elsewhereModel}
          value={chosen}
          onChange={({ currentTarget: { value } }) => app.go(withQuery(app.route(), { on: value }), "replace")}
        >
          <option value="">{text.elsewhereNone}</option>
          {priced.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </div>
      <p class="hint">{text.elsewhereHint}</p>
      {chosen !== "" && <Priced model={chosen} span={span} />}
    </section>
  )
}
