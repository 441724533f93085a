import type { RequestView } from "../../src/requests/RequestView.ts"
import type { App } from "../app.ts"
import { badge, faint, none, quiet, took, when } from "../components/bits.ts"
import type { Column } from "../components/rowsTable.ts"
import { h } from "../dom.ts"
import { durationText, number } from "../format.ts"
import { adaptedOf, inputOf, outcomeStatus } from "../outcome.ts"
import { words } from "../words/words.ts"

const text = words.requests

const second = (...children: ReadonlyArray<string | HTMLElement>) => h("span", { class: "second" }, children)
const dimmed = (value: number, shown: string) => (value === 0 ? faint(shown) : shown)

/** On a phone, three columns remain; the most important others move to a second line. */
export const requestColumns = (app: App, keyName: (id: string) => string): ReadonlyArray<Column<RequestView>> => {
  const { columns } = text
  return [
    {
      head: app.clockTimes() ? columns.utc : columns.age,
      width: app.clockTimes() ? 94 : 84,
      look: "no-phone quiet",
      cell: (row) => when(app, row.time)
    },
    {
      head: columns.outcome,
      width: 124,
      look: "outcome",
      cell: (row) => [outcomeStatus(row), second(when(app, row.time, "ago"))]
    },
    {
      head: columns.model,
      cell: (row) => {
        const adapted = adaptedOf(row).length
        return [
          row.model ?? none(),
          adapted > 0 && [" ", h("span", { class: "no-phone" }, badge(text.adapted(adapted)))],
          second(keyName(row.key), row.attempts.length > 1 ? `, ${text.attempts(row.attempts.length)}` : "")
        ]
      }
    },
    { head: columns.endpoint, width: 96, look: "no-phone no-mid quiet", cell: (row) => row.family },
    {
      head: columns.key,
      width: 180,
      look: "no-phone no-slim",
      cell: (row) => [quiet(row.account), faint(" / "), keyName(row.key)]
    },
    {
      head: columns.upstream,
      width: 160,
      look: "no-phone no-slim",
      cell: (row) =>
        row.upstream === null
          ? none()
          : [row.upstream, row.attempts.length > 1 && faint(` ${text.attempts(row.attempts.length)}`)]
    },
    {
      head: columns.first,
      width: 84,
      look: "right no-phone no-mid",
      cell: (row) => took(row.first_byte_ms)
    },
    { head: columns.duration, width: 84, look: "right no-phone", cell: (row) => took(row.duration_ms) },
    {
      head: columns.input,
      width: 80,
      look: "right no-phone no-narrow",
      cell: (row) => dimmed(inputOf(row), number(inputOf(row)))
    },
    {
      head: columns.output,
      width: 60,
      look: "right no-phone no-narrow",
      cell: (row) => dimmed(row.output_tokens, number(row.output_tokens))
    },
    {
      head: columns.cost,
      width: 104,
      look: "right",
      cell: (row) => [dimmed(row.cost_usd ?? 0, number(row.cost_usd ?? 0, 5)), second(durationText(row.duration_ms))]
    }
  ]
}
