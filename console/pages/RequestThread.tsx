import { inputIn } from "../../src/contract/records/measures.ts"
import type { RequestDetail } from "../../src/requests/RequestView.ts"
import { costText } from "../../src/contract/text/usdText.ts"
import { number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Outcome } from "../parts/Outcome.tsx"
import { SmallTable } from "../parts/Table.tsx"
import { Cost, Faint, Section, When } from "../parts/text.tsx"
import { conversationOf } from "../requestSource.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.request

/** The rows that are shown before and after the request itself. */
const around = 4

/** The other requests of the same conversation, oldest first, with the cost of all. */
export const RequestThread = ({ request }: { readonly request: RequestDetail }) => {
  const app = useApp()
  const { account, conversation, request_id } = request
  const { value } = useData(() => conversationOf(app, request), { by: [account, conversation, request_id] })
  const { data = [], totals } = value ?? {}
  if (conversation === null || totals === undefined || totals.requests < 2) return null
  const all = data.toReversed()
  const place = all.findIndex((row) => row.request_id === request_id)
  const first = Math.max(0, place === -1 ? all.length - 2 * around : place - around)
  const rows = all.slice(first, first + 2 * around + 1)
  const input = inputIn(totals)
  const query = {
    q: `conversation:${conversation}`,
    range: "30d",
    ...(app.session.kind === "operator" ? { account } : {})
  }
  const { age, cost, model, outcome } = words.requests.columns
  return (
    <Section title={text.thread}>
      <p class="hint">
        {text.threadSums(totals.requests, number(input), number(totals.output_tokens), costText(totals.cost_usd))}
      </p>
      <SmallTable
        label={text.thread}
        heads={[
          [age, "quiet", 60],
          [outcome, "", 116],
          [model, "wrap"],
          [cost, "right", 76]
        ]}
        rows={rows.map((row) => [
          <When key="at" at={row.time} />,
          row.request_id === request_id ? (
            <Outcome of={row} />
          ) : (
            <a href={hrefOf("requests", row.request_id, app.route().query)}>
              <Outcome of={row} />
            </a>
          ),
          <>
            {row.model ?? row.family}
            {row.request_id === request_id && <Faint> {text.threadNow}</Faint>}
          </>,
          <Cost key="cost" of={row.cost_usd} decimals={5} />
        ])}
      />
      {!/\s/.test(conversation) && (
        <p class="hint">
          <a href={hrefOf("requests", undefined, query)}>{text.threadMore(number(totals.requests))}</a>
        </p>
      )}
    </Section>
  )
}
