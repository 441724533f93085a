import type { ComponentChildren } from "preact"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { durationText, number } from "../format.ts"
import { adaptedOf, inputOf } from "../outcome.ts"
import { Outcome } from "../parts/Outcome.tsx"
import type { Column } from "../parts/Table.tsx"
import { Badge, Cost, Faint, None, Quiet, Took, When } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.requests

/** A second line, which phones show. */
const Second = ({ children }: { readonly children: ComponentChildren }) => <span class="second">{children}</span>

/** A number; zero is grey. */
const Dimmed = ({ of }: { readonly of: number }) => (of === 0 ? <Faint>0</Faint> : <>{number(of)}</>)

export const keyNameOf = ({ key, key_name }: Pick<RequestView, "key" | "key_name">): string => key_name ?? key

const Model = ({ row }: { readonly row: RequestView }) => {
  const adapted = adaptedOf(row).length
  return (
    <>
      {row.model ?? <None />}
      {adapted > 0 && (
        <>
          {" "}
          <span class="no-phone">
            <Badge>{text.adapted(adapted)}</Badge>
          </span>
        </>
      )}
      <Second>
        {keyNameOf(row)}
        {row.attempts.length > 1 && `, ${text.attempts(row.attempts.length)}`}
      </Second>
    </>
  )
}

/** On a phone, three columns remain; the most important others move to a second line. */
export const requestColumns = (hasClockTimes: boolean): ReadonlyArray<Column<RequestView>> => {
  const { columns } = text
  return [
    {
      head: hasClockTimes ? columns.utc : columns.age,
      width: hasClockTimes ? 94 : 84,
      look: "no-phone quiet",
      cell: (row) => <When at={row.time} />
    },
    {
      head: columns.outcome,
      width: 124,
      look: "outcome",
      cell: (row) => (
        <>
          <Outcome of={row} />
          <Second>
            <When at={row.time} suffix="ago" />
          </Second>
        </>
      )
    },
    { head: columns.model, cell: (row) => <Model row={row} /> },
    { head: columns.endpoint, width: 96, look: "no-phone no-mid quiet", cell: (row) => row.family },
    {
      head: columns.key,
      width: 180,
      look: "no-phone no-slim",
      cell: (row) => (
        <>
          <Quiet>{row.account}</Quiet>
          <Faint> / </Faint>
          {keyNameOf(row)}
        </>
      )
    },
    {
      head: columns.upstream,
      width: 160,
      look: "no-phone no-slim",
      cell: (row) =>
        row.upstream === null ? (
          <None />
        ) : (
          <>
            {row.upstream}
            {row.attempts.length > 1 && <Faint> {text.attempts(row.attempts.length)}</Faint>}
          </>
        )
    },
    {
      head: columns.first,
      width: 84,
      look: "right no-phone no-mid",
      cell: (row) => (row.first_byte_ms === 0 ? <None /> : <Took ms={row.first_byte_ms} />)
    },
    { head: columns.duration, width: 84, look: "right no-phone", cell: (row) => <Took ms={row.duration_ms} /> },
    { head: columns.input, width: 80, look: "right no-phone no-narrow", cell: (row) => <Dimmed of={inputOf(row)} /> },
    {
      head: columns.output,
      width: 60,
      look: "right no-phone no-narrow",
      cell: (row) => <Dimmed of={row.output_tokens} />
    },
    {
      head: columns.cost,
      width: 104,
      look: "right",
      cell: (row) => (
        <>
          <Cost of={row.cost_usd} decimals={5} />
          <Second>{durationText(row.duration_ms)}</Second>
        </>
      )
    }
  ]
}
