import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { gatewayUrl } from "../address.ts"
import { number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useHeld } from "../hooks/useHeld.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { groupingOf, groupsOf, hasNone, overviewOf, textOf } from "../overviewSource.ts"
import { LiveButton } from "../parts/LiveButton.tsx"
import { Empty, Part } from "../parts/states.tsx"
import { PageHead } from "../parts/text.tsx"
import { firstRequest } from "../snippets.ts"
import { spanOf } from "../spans.ts"
import { words } from "../words/words.ts"
import { Attention } from "./Attention.tsx"
import { CostElsewhere } from "./CostElsewhere.tsx"
import { OverviewCharts, OverviewFigures } from "./OverviewCharts.tsx"
import { SpanPicker } from "./SpanPicker.tsx"
import { TrafficTable } from "./TrafficTable.tsx"
import { UpstreamTraffic } from "./UpstreamTraffic.tsx"

const text = words.overview

/** The interval of refreshes while live. */
const everyMs = 5_000

/** Problems, traffic, speed and cost of a time span. */
export const Overview = () => {
  const app = useApp()
  const { query } = app.route()
  const isLive = useSignal(false)
  const grouping = groupingOf(query)
  const by = textOf(grouping)
  const loaded = useHeld(
    useData(
      async () => {
        const span = spanOf(query, Date.now())
        const [steps, groups] = await Promise.all([overviewOf(app, span, grouping.first), groupsOf(app, span, by)])
        const isBare = groups.total.requests === 0 && (await hasNone(app))
        return { span, steps, groups, grouping, isBare }
      },
      { by: [by, query.get("range"), query.get("t")], on: ["upstream", "account"] }
    )
  )
  useShortcuts({ toggleLive: () => (isLive.value = !isLive.value) })
  useEffect(() => {
    if (!isLive.value) return
    void loaded.again()
    const ticking = setInterval(() => void loaded.again(), everyMs)
    return () => clearInterval(ticking)
  }, [isLive.value, loaded.again])
  return (
    <>
      <PageHead title={words.pages.overview}>
        <LiveButton isOn={isLive} />
      </PageHead>
      <div class="page">
        <SpanPicker span={spanOf(query, Date.now())} />
        <Part of={loaded} what={words.pages.overview}>
          {({ groups, grouping, isBare, span, steps }) => {
            if (isBare) {
              return (
                <Empty title={text.emptyTitle} snippets={firstRequest(gatewayUrl)}>
                  {text.empty}
                </Empty>
              )
            }
            const names = new Map(groups.data.map(({ group, name }) => [group, name]))
            const nameOf = (name: string) => (name === "" ? text.untagged : (names.get(name) ?? name))
            const { queue } = steps
            return (
              <>
                <Attention items={steps.attention ?? []} />
                <OverviewFigures of={groups.total} />
                {groups.total.requests === 0 && <p class="faint quiet-time">{text.quiet}</p>}
                <OverviewCharts of={steps} nameOf={nameOf} />
                <div class="tables">
                  <TrafficTable groups={groups} grouping={grouping} span={span} />
                  <UpstreamTraffic
                    span={span}
                    queue={queue && text.queue(number(queue.tasks), number(queue.deliveries), number(queue.waiting))}
                  />
                  <CostElsewhere span={span} />
                </div>
                <p class="hint">{words.requests.afterKill}</p>
              </>
            )
          }}
        </Part>
      </div>
    </>
  )
}
