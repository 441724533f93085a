import type { JsonObject } from "../../../contract/fields.ts"
import { countAt, listAt, objectAt, textAt } from "../../../contract/json/json.ts"

/**
 * The searches behind a chunk or a whole answer: as its usage counts them (OpenRouter, xAI), otherwise one if it cites
 * pages, which is what OpenAI bills.
 */
export const searchesIn = (answer: JsonObject): number => {
  const usage = objectAt(answer, "usage")
  const told =
    countAt(objectAt(usage, "server_tool_use"), "web_search_requests") ??
    countAt(objectAt(usage, "server_side_tool_usage_details"), "web_search_calls")
  if (told !== undefined) return told || 0
  return listAt(answer, "choices").some(cites) ? 1 : 0
}

const cites = (choice: unknown): boolean =>
  [objectAt(choice, "message"), objectAt(choice, "delta")].some((piece) =>
    listAt(piece, "annotations").some((one) => textAt(one, "type") === "url_citation")
  )

/** Part of each chunk that cites pages. */
export const citationMarks: ReadonlyArray<string> = ['"annotations":[{', '"annotations": [{']
