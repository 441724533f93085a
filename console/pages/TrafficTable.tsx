import type { ComponentChildren } from "preact"
import type { OverviewGroups } from "../../src/requests/OverviewGroups.ts"
import { basePath } from "../address.ts"
import { countText, durationText, number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { columns as pairable, csvOf, dimensions, groupingOf, pairs, textOf } from "../overviewSource.ts"
import type { Dimension, Grouping } from "../overviewSource.ts"
import { Sideways, Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Cost, Faint, None } from "../parts/text.tsx"
import { hrefOf, withQuery } from "../router.ts"
import { requestsIn } from "../spans.ts"
import type { Span } from "../spans.ts"
import { words } from "../words/words.ts"

const text = words.overview

type Figures = Omit<OverviewGroups["total"], "before">
type Row = OverviewGroups["data"][number]
/** A row, or the sum of all. */
type Shown = Pick<Row, "before"> & Figures & { readonly row: Row | undefined }

/** A link to a table as CSV. */
export const CsvLink = ({ by, span, what }: { readonly span: Span; readonly by: string; readonly what: string }) => {
  const app = useApp()
  return (
    <a class="button small" href={basePath + csvOf(app, span, by)} download aria-label={text.csvLabel(what)}>
      {text.csv}
    </a>
  )
}

const Count = ({ of }: { readonly of: number }) => (of === 0 ? <Faint>0</Faint> : <>{countText(of)}</>)
const Ms = ({ of }: { readonly of: number | undefined }) => (of === undefined ? <None /> : <>{durationText(of)}</>)

const Group = ({
  by,
  name,
  span,
  value
}: {
  readonly by: Dimension
  readonly value: string
  readonly name: string | null
  readonly span: Span
}) =>
  value === "" ? (
    <Faint>{text.untagged}</Faint>
  ) : (
    <a
      class="plain-link"
      title={value}
      href={hrefOf("requests", undefined, {
        ...requestsIn(span),
        q: `${by}:${/\s/.test(value) ? `"${value}"` : value}`
      })}
    >
      {name ?? value}
    </a>
  )

const columnsOf = ({ first, second }: Grouping, span: Span, isOperator: boolean): ReadonlyArray<Column<Shown>> => {
  const { columns } = text
  const right = (head: string, width: number, cell: (of: Shown) => ComponentChildren, look = ""): Column<Shown> => ({
    head,
    width,
    look: `right ${look}`,
    cell
  })
  return [
    {
      head: text.by[first],
      width: 120,
      look: "whole",
      cell: ({ row }) =>
        row === undefined ? (
          <b>{text.total}</b>
        ) : (
          <Group by={first} value={row.group} name={first === "key" ? row.name : null} span={span} />
        )
    },
    ...(second === undefined
      ? []
      : [
          {
            head: text.by[second],
            width: 120,
            look: "whole",
            cell: ({ row }: Shown) =>
              row !== undefined && (
                <Group by={second} value={row.second ?? ""} name={second === "key" ? row.name : null} span={span} />
              )
          }
        ]),
    right(columns.requests, 78, ({ requests }) => number(requests)),
    right(columns.errors, 60, ({ errors }) => (errors === 0 ? <Faint>0</Faint> : number(errors))),
    right(columns.p50, 70, ({ duration_ms }) => <Ms of={duration_ms?.p50} />, "no-narrow"),
    right(columns.p95, 70, ({ duration_ms }) => <Ms of={duration_ms?.p95} />),
    right(columns.p95Before, 88, ({ before }) => <Ms of={before?.duration_ms?.p95} />),
    right(columns.input, 70, ({ input_tokens }) => <Count of={input_tokens} />, "no-slim"),
    right(columns.cached, 66, (of) => <Count of={of.cache_read_tokens} />, "no-narrow"),
    right(columns.output, 70, ({ output_tokens }) => <Count of={output_tokens} />),
    right(
      columns.hits,
      78,
      ({ cache_hit_rate: rate }) => (rate === null ? <None /> : `${number(100 * rate, 0)} %`),
      "no-slim"
    ),
    right(columns.cost, 88, ({ cost_usd }) => <Cost of={cost_usd} />),
    ...(isOperator
      ? [right(columns.upstreamCost, 100, (of) => <Cost of={of.upstream_cost_usd ?? 0} />, "no-slim")]
      : []),
    right(columns.before, 92, ({ before }) => <Cost of={before === null ? null : before.cost_usd} />)
  ]
}

/** Chooses the grouping; the address holds it. */
const GroupBy = ({
  choices,
  grouping
}: {
  readonly grouping: Grouping
  readonly choices: ReadonlyArray<Dimension>
}) => {
  const app = useApp()
  const { first, second } = grouping
  const go = (by: string) => app.go(withQuery(app.route(), { by }), "replace")
  const mayPair = pairable.some((one) => one === first)
  return (
    <span class="group-by">
      <select
        class="select"
        aria-label={text.costBy}
        value={first}
        onChange={({ currentTarget: { value } }) => go(value)}
      >
        {choices.map((name) => (
          <option key={name} value={name}>
            {text.by[name]}
          </option>
        ))}
        {pairs
          .filter((pair) => choices.some((name) => name === groupingOf(new URLSearchParams({ by: pair })).first))
          .map((pair) => (
            <option key={pair} value={pair}>
              {text.pairs[pair]}
            </option>
          ))}
      </select>
      {mayPair && (
        <select
          class="select"
          aria-label={text.and}
          value={second ?? ""}
          onChange={({ currentTarget: { value } }) => go(value === "" ? first : `${first},${value}`)}
        >
          <option value="">{text.alone}</option>
          {pairable
            .filter((name) => name !== first && choices.includes(name))
            .map((name) => (
              <option key={name} value={name}>
                {text.and} {text.by[name].toLowerCase()}
              </option>
            ))}
        </select>
      )}
    </span>
  )
}

/** Groups of requests with all their figures, each beside its cost of before. */
export const TrafficTable = ({
  choices = dimensions,
  groups,
  grouping,
  span
}: {
  readonly groups: OverviewGroups
  readonly grouping: Grouping
  readonly span: Span
  readonly choices?: ReadonlyArray<Dimension>
}) => {
  const { session } = useApp()
  const { count, data, total } = groups
  const sum: Shown = { ...total, row: undefined }
  return (
    <section>
      <div class="caption">
        <h2>{text.costBy}</h2>
        <GroupBy grouping={grouping} choices={choices} />
        <CsvLink span={span} by={textOf(grouping)} what={text.costBy} />
      </div>
      <Sideways label={text.costBy}>
        <Table
          label={text.costBy}
          look="stacks"
          rows={[...data.map((row): Shown => ({ ...row, row })), ...(data.length > 1 ? [sum] : [])]}
          keyOf={({ row }) => (row === undefined ? "" : JSON.stringify([row.group, row.second]))}
          columns={columnsOf(grouping, span, session.kind === "operator")}
        />
      </Sideways>
      {count > data.length && <p class="hint">{text.rows(number(data.length), number(count))}</p>}
      {groups.sampled && <p class="hint">{text.sampled}</p>}
    </section>
  )
}
