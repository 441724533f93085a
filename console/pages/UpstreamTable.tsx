import type { ComponentChildren } from "preact"
import type { UpstreamRecord } from "../../src/admin/UpstreamRecord.ts"
import { number } from "../format.ts"
import { Status } from "../parts/Status.tsx"
import type { Tone } from "../parts/Status.tsx"
import { Sideways, Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Faint, Measure, None, Took } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.upstreams
const { columns } = text

const tones: Readonly<Record<UpstreamRecord["circuit"], Tone>> = { closed: "well", open: "bad", probing: "running" }

const Dim = ({ of }: { readonly of: number }) => (of === 0 ? <Faint>0</Faint> : <>{number(of)}</>)

const Errors = ({ answers, failures }: UpstreamRecord) => {
  const calls = answers + failures
  const share = calls === 0 ? 0 : (100 * failures) / calls
  const shown = <Measure of={[number(share, 1), "%"]} />
  return share > 5 ? shown : <Faint>{shown}</Faint>
}

/** Protocol and address, where there is room. */
const whole: ReadonlyArray<Column<UpstreamRecord>> = [
  { head: columns.protocol, width: 160, look: "quiet no-mid", cell: ({ protocol }) => protocol ?? text.builtIn },
  {
    head: columns.address,
    look: "quiet no-mid",
    cell: ({ base_url }) => (
      <code title={base_url ?? ""}>{base_url === null ? text.here : base_url.replace(/^https?:\/\//, "")}</code>
    )
  }
]

const p50: Column<UpstreamRecord> = {
  head: columns.p50,
  width: 104,
  look: "right no-mid",
  cell: ({ latency_ms }) => (latency_ms === null ? <None /> : <Took ms={latency_ms.p50} />)
}

const columnsOf = (rows: ReadonlyArray<UpstreamRecord>, isWhole: boolean): ReadonlyArray<Column<UpstreamRecord>> => [
  {
    head: columns.upstream,
    look: "whole",
    ...(isWhole && { width: 136 }),
    cell: (row) => (
      <>
        {row.name}
        {rows.some((one) => one !== row && one.name === row.name) && <Faint> {row.kind}</Faint>}
      </>
    )
  },
  ...(isWhole ? whole : []),
  {
    head: columns.circuit,
    width: 96,
    cell: ({ circuit }) => <Status tone={tones[circuit]}>{text.circuits[circuit]}</Status>
  },
  { head: columns.calls, width: 70, look: "right", cell: ({ answers, failures }) => <Dim of={answers + failures} /> },
  {
    head: columns.running,
    width: 84,
    look: "right no-slim",
    cell: ({ running }) => (running === null ? <Faint>{text.unbounded}</Faint> : number(running))
  },
  {
    head: columns.waiting,
    width: 70,
    look: "right no-slim",
    cell: ({ waiting }) => (waiting === null ? <None /> : <Dim of={waiting} />)
  },
  { head: columns.errors, width: 84, look: "right", cell: Errors },
  ...(isWhole ? [p50] : []),
  {
    head: columns.p95,
    width: 104,
    look: "right",
    cell: ({ latency_ms }) => (latency_ms === null ? <None /> : <Took ms={latency_ms.p95} />)
  }
]

/** The state of upstreams. */
export const UpstreamTable = ({
  isWhole,
  rows,
  test
}: {
  readonly rows: ReadonlyArray<UpstreamRecord>
  /** With protocol and address, if there is room. */
  readonly isWhole: boolean
  readonly test?: ((upstream: UpstreamRecord) => ComponentChildren) | undefined
}) => {
  const all = columnsOf(rows, isWhole)
  const table = (
    <Table
      label={words.overview.upstreams}
      look="stacks"
      rows={rows}
      keyOf={({ kind, name }) => `${kind} ${name}`}
      columns={test === undefined ? all : [...all, { head: text.test, width: 112, look: "apart", cell: test }]}
    />
  )
  return isWhole ? (
    <Sideways label={words.overview.upstreams}>{table}</Sideways>
  ) : (
    <div class="sideways" tabIndex={0} role="region" aria-label={words.overview.upstreams}>
      {table}
    </div>
  )
}
