import type { RequestDetail } from "../../src/requests/RequestView.ts"
import { usd } from "../format.ts"
import { SmallTable } from "../parts/Table.tsx"
import { Badge, Faint, Section, Took } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.request

type ToolCalls = NonNullable<RequestDetail["tools"]>

/** The calls of tools that the gateway made for a request. */
export const RequestTools = ({ calls }: { readonly calls: ToolCalls }) => (
  <Section title={text.toolCalls}>
    <SmallTable
      isPlain
      label={text.toolCalls}
      heads={[["", "", 200], [""]]}
      rows={calls.map(({ bytes, cost_usd, ms, outcome, server, tool }) => [
        <code key="tool">{`${server}/${tool}`}</code>,
        <span key="end">
          <Took ms={ms} />
          <Faint>{text.toolBytes(bytes)}</Faint>
          {cost_usd > 0 && <Faint>{usd(cost_usd, 9)}</Faint>}
          {outcome !== "completed" && <Badge>{outcome}</Badge>}
        </span>
      ])}
    />
  </Section>
)
