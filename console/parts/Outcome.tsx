import { outcomeOf } from "../../src/requests/outcome.ts"
import type { Outcome as Ended } from "../../src/requests/outcome.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { words } from "../words/words.ts"
import { Status } from "./Status.tsx"
import type { Tone } from "./Status.tsx"

const tones: Readonly<Record<Ended, Tone>> = {
  finished: "well",
  refused: "warn",
  failed: "bad",
  cut: "bad",
  hang_up: "off"
}

/** A request's outcome and status. */
export const Outcome = ({ of }: { readonly of: Pick<RequestView, "error" | "status"> }) => {
  const outcome = outcomeOf(of)
  return (
    <Status tone={tones[outcome]} code={of.status}>
      {words.outcome[outcome]}
    </Status>
  )
}
