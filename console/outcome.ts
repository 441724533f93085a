import { inputIn } from "../src/contract/records/measures.ts"
import type { RequestView } from "../src/requests/RequestView.ts"

/** The parameters that were changed or left out. */
export const adaptedOf = (request: RequestView): ReadonlyArray<string> =>
  (request.adapted ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

/** All input tokens, cached or not. */
export const inputOf = (request: RequestView): number => inputIn(request)
