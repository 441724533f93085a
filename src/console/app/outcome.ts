import type { RequestView } from "../../requests/RequestView.ts"
import { status } from "./components/status.ts"
import type { Tone } from "./components/status.ts"
import { words } from "./words/words.ts"

export const outcomes = ["finished", "refused", "failed", "cut", "hang-up"] as const
export type Outcome = (typeof outcomes)[number]

/** How a request ended, by its status and what went wrong after it. */
export const outcomeOf = ({ error, status }: Pick<RequestView, "error" | "status">): Outcome => {
  if (error === "hang_up" || status === 499) return "hang-up"
  if (status >= 500) return "failed"
  if (status >= 400) return "refused"
  return error === null ? "finished" : "cut"
}

const tones: Readonly<Record<Outcome, Tone>> = {
  finished: "well",
  refused: "warn",
  failed: "bad",
  cut: "bad",
  "hang-up": "off"
}

export const outcomeStatus = (request: Pick<RequestView, "error" | "status">): HTMLElement => {
  const outcome = outcomeOf(request)
  return status(tones[outcome], words.outcome[outcome], request.status)
}

export const isTrouble = (outcome: Outcome): boolean => outcome === "failed" || outcome === "cut"

/** How many parameters were changed or left out. */
export const adaptedOf = (request: RequestView): ReadonlyArray<string> =>
  (request.adapted ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

/** All tokens that went in, from a cache or not. */
export const inputOf = (request: RequestView): number =>
  request.input_tokens + request.cache_read_tokens + request.cache_write_tokens
