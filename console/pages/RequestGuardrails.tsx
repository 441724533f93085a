import type { RequestView } from "../../src/requests/RequestView.ts"
import { SmallTable } from "../parts/Table.tsx"
import { Badge, Faint, Section, Took } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.request

/** The verdicts of guardrails on a request, and the time that they took. */
export const RequestGuardrails = ({ guardrails = [] }: Pick<RequestView, "guardrails">) =>
  guardrails.length === 0 ? null : (
    <Section title={text.guardrails}>
      <SmallTable
        isPlain
        label={text.guardrails}
        heads={[["", "", 200], [""]]}
        rows={guardrails.map(({ calls, ms, name, on, verdict }) => [
          <code key="name">{name}</code>,
          <span key="verdict">
            <Took ms={ms} />
            <Faint>{text.guardrailOn[on]}</Faint>
            {calls > 1 && <Faint>{text.guardrailCalls(calls)}</Faint>}
            {verdict !== "allowed" && <Badge>{verdict}</Badge>}
          </span>
        ])}
      />
    </Section>
  )
