import type { ComponentChildren } from "preact"
import type { OverviewGroups } from "../../src/requests/OverviewGroups.ts"
import { durationText, number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useHeld } from "../hooks/useHeld.ts"
import { groupsOf } from "../overviewSource.ts"
import { Part, Skeleton } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import type { Tone } from "../parts/Status.tsx"
import { Sideways, Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Faint, None } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import { requestsIn } from "../spans.ts"
import type { Span } from "../spans.ts"
import { upstreamsOf } from "../upstreamSource.ts"
import type { UpstreamRow } from "../upstreamSource.ts"
import { words } from "../words/words.ts"
import { CsvLink } from "./TrafficTable.tsx"

const text = words.overview

const tones: Readonly<Record<UpstreamRow["circuit"], Tone>> = { closed: "well", open: "bad", probing: "running" }

type Attempts = NonNullable<OverviewGroups["data"][number]["attempts"]>

/** An upstream in a span, and its state now; one of them may be missing. */
interface Row {
  readonly name: string
  readonly attempts: Attempts | undefined
  readonly now: UpstreamRow | undefined
}

const rowsOf = ({ data }: OverviewGroups, upstreams: ReadonlyArray<UpstreamRow>): ReadonlyArray<Row> => {
  const tried = data.filter(({ group }) => group !== "")
  const names = new Set([...tried.map(({ group }) => group), ...upstreams.map(({ name }) => name)])
  return [...names].map((name) => ({
    name,
    attempts: tried.find(({ group }) => group === name)?.attempts,
    now: upstreams.find((one) => one.name === name)
  }))
}

const Dim = ({ of }: { readonly of: number }) => (of === 0 ? <Faint>0</Faint> : <>{number(of)}</>)

/** Failures that stand out from 5 % on. */
const Share = ({ of: { attempts, failed } }: { readonly of: Attempts }) => {
  const share = attempts === 0 ? 0 : (100 * failed) / attempts
  const shown = `${number(share, 1)} %`
  return share > 5 ? <b>{shown}</b> : <Faint>{shown}</Faint>
}

const columnsFor = (span: Span): ReadonlyArray<Column<Row>> => {
  const { upstream } = text
  const tried = (head: string, width: number, cell: (of: Attempts) => ComponentChildren): Column<Row> => ({
    head,
    width,
    look: "right",
    cell: ({ attempts }) => (attempts === undefined || attempts.attempts === 0 ? <None /> : cell(attempts))
  })
  return [
    {
      head: upstream.name,
      width: 130,
      look: "whole",
      cell: ({ name }) => (
        <a class="plain-link" href={hrefOf("requests", undefined, { ...requestsIn(span), q: `attempt:${name}` })}>
          {name}
        </a>
      )
    },
    {
      head: upstream.state,
      width: 112,
      cell: ({ now }) =>
        now === undefined ? (
          <None />
        ) : (
          <Status tone={tones[now.circuit]}>{words.upstreams.circuits[now.circuit]}</Status>
        )
    },
    tried(upstream.calls, 70, ({ attempts }) => number(attempts)),
    tried(upstream.failed, 66, ({ failed }) => <Dim of={failed} />),
    tried(upstream.hidden, 70, ({ hidden }) => <Dim of={hidden} />),
    tried(upstream.outpaced, 80, ({ outpaced = 0 }) => <Dim of={outpaced} />),
    tried(upstream.share, 76, (of) => <Share of={of} />),
    tried(upstream.p50, 74, ({ duration_ms }) => (duration_ms === null ? <None /> : durationText(duration_ms.p50))),
    tried(upstream.p95, 74, ({ duration_ms }) => (duration_ms === null ? <None /> : durationText(duration_ms.p95))),
    {
      head: upstream.running,
      width: 84,
      look: "right no-slim",
      cell: ({ now }) => {
        if (now === undefined) return <None />
        return now.running === null ? <Faint>{words.upstreams.unbounded}</Faint> : <Dim of={now.running} />
      }
    },
    {
      head: upstream.waiting,
      width: 84,
      look: "right no-slim",
      cell: ({ now }) => (now?.waiting == null ? <None /> : <Dim of={now.waiting} />)
    }
  ]
}

/**
 * The upstreams in a span, with the failures that others hid, and their state now. It is below the first view, and attempts
 * take longer to read than all the rest: the page does not wait for it.
 *
 * @param span another one, even of the same times, loads it again
 */
export const UpstreamTraffic = ({ queue, span }: { readonly span: Span; readonly queue: string | undefined }) => {
  const app = useApp()
  const loaded = useHeld(
    useData(
      async () => {
        const [groups, upstreams] = await Promise.all([
          groupsOf(app, span, "upstream"),
          upstreamsOf(app).catch(() => [])
        ])
        return { rows: rowsOf(groups, upstreams), columns: columnsFor(span) }
      },
      { by: [span] }
    )
  )
  return (
    <section>
      <div class="caption">
        <h2>{text.upstreams}</h2>
        <Faint>{queue}</Faint>
        <CsvLink span={span} by="upstream" what={text.upstreams} />
      </div>
      <Part of={loaded} what={text.upstreams} waiting={<Skeleton rows={3} />}>
        {({ columns, rows }) => (
          <Sideways label={text.upstreams}>
            <Table label={text.upstreams} look="stacks" rows={rows} keyOf={({ name }) => name} columns={columns} />
          </Sideways>
        )}
      </Part>
      <p class="hint">{text.upstreamsHint}</p>
    </section>
  )
}
