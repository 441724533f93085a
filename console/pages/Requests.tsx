import { useSignal } from "@preact/signals"
import { useMemo, useRef } from "preact/hooks"
import { outcomes } from "../../src/requests/outcome.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { costText } from "../../src/contract/text/usdText.ts"
import { gatewayUrl } from "../address.ts"
import { clearFilters, filterText } from "../filterText.ts"
import { clock, number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useRequestList } from "../hooks/useRequestList.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { Button } from "../parts/Button.tsx"
import { FilterBar } from "../parts/FilterBar.tsx"
import { Histogram } from "../parts/Histogram.tsx"
import { LiveButton } from "../parts/LiveButton.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { RowsHandle } from "../parts/Rows.tsx"
import { Empty, NoMatch, Part, Skeleton } from "../parts/states.tsx"
import { PageHead } from "../parts/text.tsx"
import { filterNames, isRange, isRequestId, ranges } from "../requestFilter.ts"
import { emptyTally } from "../requestSource.ts"
import type { RequestSource } from "../requestSource.ts"
import { hrefOf, withQuery } from "../router.ts"
import { firstRequest } from "../snippets.ts"
import { words } from "../words/words.ts"
import { ExportLinks } from "./ExportLinks.tsx"
import { requestColumns } from "./requestColumns.tsx"
import { RequestDrawer } from "./RequestDrawer.tsx"

const text = words.requests

/** The time range: one of the usual ones, or the one that was zoomed into. */
const Range = () => {
  const app = useApp()
  const { query } = app.route()
  const [from, to] = (query.get("t") ?? "").split("-").map(Number)
  const isZoomed = from !== undefined && to !== undefined && to > 0
  const chosen = query.get("range") ?? "1h"
  return (
    <span>
      <select
        class={isZoomed ? "select on" : "select"}
        aria-label={text.range}
        value={isZoomed ? "" : chosen}
        onChange={({ currentTarget: { value } }) =>
          value !== "" && app.go(withQuery(app.route(), { range: value, t: "" }))
        }
      >
        {isZoomed && <option value="">{`${clock(from, false)} – ${clock(to, false)}`}</option>}
        {Object.keys(ranges).map(
          (name) =>
            isRange(name) && (
              <option key={name} value={name}>
                {text.ranges[name]}
              </option>
            )
        )}
      </select>
      {isZoomed && (
        <>
          {" "}
          <Button onClick={() => app.go(withQuery(app.route(), { t: "" }))}>{text.zoomOut}</Button>
        </>
      )}
    </span>
  )
}

const Filters = ({ rows }: { readonly rows: ReadonlyArray<RequestView> }) => {
  const { catalogue, go, route, session } = useApp()
  const models = useData(() => catalogue.models()).value ?? []
  const accounts = useData(() => catalogue.accounts(), { on: ["account"] }).value ?? []
  const upstreams = useMemo(
    () => [...new Set(rows.flatMap(({ upstream }) => (upstream === null ? [] : [upstream])))].sort(),
    [rows]
  )
  return (
    <FilterBar
      label={text.search}
      example={text.example}
      keep={(text) => {
        const isId = isRequestId(text)
        if (isId) go(hrefOf("requests", text, route().query))
        return isId
      }}
      choices={[
        { name: "outcome", any: text.anyOutcome, values: outcomes.map((outcome) => [outcome, words.outcome[outcome]]) },
        { name: "model", any: text.anyModel, values: models },
        { name: "upstream", any: text.anyUpstream, values: upstreams },
        ...(session.kind === "operator"
          ? [{ name: "account", any: text.anyAccount, values: accounts.map(({ id }) => id) }]
          : [])
      ]}
    />
  )
}

/** No request fits, with how to see some. */
const Nothing = ({ hasAny, source }: { readonly source: RequestSource; readonly hasAny: boolean }) => {
  const app = useApp()
  const filter = filterText(app.route().query, filterNames)
  const wider = <Button onClick={() => app.go(withQuery(app.route(), { range: "7d", t: "" }))}>{text.wider}</Button>
  if (filter !== "") {
    const [before, after] = source.isDone() ? text.noMatch : text.noMatchAmong(number(source.scanned()))
    return <NoMatch said={[before, filter, after]} clear={() => clearFilters(app)} actions={wider} />
  }
  return hasAny ? (
    <Empty title={text.quietTitle} actions={wider}>
      {text.quiet}
    </Empty>
  ) : (
    <Empty title={text.emptyTitle} snippets={firstRequest(gatewayUrl)}>
      {text.empty}
    </Empty>
  )
}

const footOf = (source: RequestSource): string =>
  source.isDone()
    ? text.afterKill
    : source.isAll
      ? text.shown(number(source.rows().length))
      : text.scanning(number(source.scanned()))

/** The list of requests, newest first: live, filtered, zoomed, with a drawer. */
export const Requests = () => {
  const app = useApp()
  const isLive = useSignal(false)
  const table = useRef<RowsHandle>(null)
  const { id } = app.route()
  const { data, filter, list, more, showNews, tally } = useRequestList(
    () => isLive.value,
    () => app.route().id === undefined && table.current?.isAtTop() !== false
  )
  const hasClockTimes = app.clockTimes()
  const columns = useMemo(() => requestColumns(hasClockTimes), [hasClockTimes])
  const open = (row: RequestView) => {
    const { id, query } = app.route()
    app.go(hrefOf("requests", row.request_id, query), id === undefined ? "push" : "replace")
  }
  const close = () => {
    const { id, query } = app.route()
    app.go(hrefOf("requests", undefined, query))
    if (id !== undefined) table.current?.focus(id)
  }
  const step = (by: 1 | -1) => table.current?.step(by)
  useShortcuts({ leave: close, step, toggleLive: () => (isLive.value = !isLive.value) })

  const source = data.value?.source
  const noteOf = () => {
    if (source === undefined || tally === undefined) return ""
    const { failed, refused, requests, usd: cost } = tally.total
    if (source.isCounted()) return text.counted(number(requests), costText(cost), number(refused), number(failed))
    return source.isAll
      ? text.some(number(list.rows.length))
      : text.among(number(list.rows.length), number(source.scanned()))
  }
  const to = filter.to ?? Date.now()
  const none = emptyTally(filter.from, to)
  const chart = (
    <Histogram
      buckets={tally?.buckets ?? none.between(filter.from, to)}
      widthMs={tally?.widthMs ?? none.widthMs}
      zoom={(from, to) => app.go(withQuery(app.route(), { t: `${Math.round(from)}-${Math.round(to)}` }))}
    />
  )
  return (
    <>
      <PageHead title={words.pages.requests} note={noteOf()}>
        <ExportLinks />
        <Range />
        <LiveButton isOn={isLive} />
      </PageHead>
      <Filters rows={list.rows} />
      <div class="page">
        <Part
          of={data}
          what={words.pages.requests}
          waiting={
            <>
              {chart}
              <Skeleton />
            </>
          }
        >
          {({ hasAny, source }) =>
            source.rows().length === 0 ? (
              <Nothing source={source} hasAny={hasAny} />
            ) : (
              <>
                {chart}
                {list.unseen > 0 && (
                  <button
                    type="button"
                    class="pill"
                    onClick={() => {
                      document.querySelector("#main")?.scrollTo(0, 0)
                      showNews()
                    }}
                  >
                    {text.fresh(list.unseen)}
                  </button>
                )}
                <div class="bleed">
                  <Rows
                    label={words.pages.requests}
                    rows={list.rows}
                    columns={columns}
                    keyOf={({ request_id }) => request_id}
                    open={open}
                    selected={id}
                    {...(list.fresh === undefined ? {} : { fresh: list.fresh })}
                    nearEnd={() => void more()}
                    handle={table}
                  />
                </div>
                <p class="more">{footOf(source)}</p>
              </>
            )
          }
        </Part>
      </div>
      {id !== undefined && <RequestDrawer id={id} known={source?.find(id)} close={close} step={step} />}
    </>
  )
}
