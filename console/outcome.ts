import { outcomeOf } from "../src/requests/outcome.ts"
import type { Outcome } from "../src/requests/outcome.ts"
import type { RequestView } from "../src/requests/RequestView.ts"
import { status } from "./components/status.ts"
import type { Tone } from "./components/status.ts"
import { words } from "./words/words.ts"

const tones: Readonly<Record<Outcome, Tone>> = {
  finished: "well",
  refused: "warn",
  failed: "bad",
  cut: "bad",
  hang_up: "off"
}

export const outcomeStatus = (request: Pick<RequestView, "error" | "status">): HTMLElement => {
  const outcome = outcomeOf(request)
  return status(tones[outcome], words.outcome[outcome], request.status)
}

/** The parameters that were changed or left out. */
export const adaptedOf = (request: RequestView): ReadonlyArray<string> =>
  (request.adapted ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

/** All input tokens, cached or not. */
export const inputOf = (request: RequestView): number =>
  request.input_tokens + request.cache_read_tokens + request.cache_write_tokens
