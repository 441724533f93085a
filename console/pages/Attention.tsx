import type { Attention as Problem } from "../../src/admin/OverviewRecord.ts"
import { Shape } from "../parts/Status.tsx"
import { Faint, When } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.overview

/** A sentence whose commands are in backticks. */
const Sentence = ({ of }: { readonly of: string }) => (
  <>{of.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>
)

const wordOf = (page: string): string => {
  const name = /^\w*/.exec(page)?.[0] ?? ""
  return Object.entries(text.see).find(([known]) => known === name)?.[1] ?? text.seeIt
}

/** Current problems, the worst first, each with what to do and the way to it. */
export const Attention = ({ items }: { readonly items: ReadonlyArray<Problem> }) =>
  items.length === 0 ? null : (
    <>
      <h2 class="sr">{text.attention}</h2>
      <ul class="attention">
        {items.map(({ action, level, message, page, since }) => (
          <li key={message}>
            <Shape tone={level === "error" ? "bad" : "warn"} />
            <span>
              {message}
              <span class="quiet to-do">
                <Sentence of={action} />
              </span>
            </span>
            {since === null ? <span /> : <Faint>{<When at={since} suffix="ago" />}</Faint>}
            {page !== null && (
              <a class="to" href={hrefOf(page)}>
                {wordOf(page)}
              </a>
            )}
          </li>
        ))}
      </ul>
    </>
  )
