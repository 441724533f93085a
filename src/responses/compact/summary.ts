import { isJsonObject } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json/json.ts"

/** A compaction item's `encrypted_content`: the model's summary with a mark of the gateway. */
export const sealSummary = (summary: string): string =>
  prefix + Buffer.from(JSON.stringify([summary])).toString("base64url")

/** The summary in a compaction item of the gateway; undefined for any other item. */
export const summaryOf = (item: unknown): string | undefined => {
  if (!isJsonObject(item) || item["type"] !== "compaction") return undefined
  const sealed = item["encrypted_content"]
  if (typeof sealed !== "string" || !sealed.startsWith(prefix)) return undefined
  const parts = parseJson(Buffer.from(sealed.slice(prefix.length), "base64url").toString())
  const summary: unknown = Array.isArray(parts) ? parts[0] : undefined
  return typeof summary === "string" ? `Summary of the conversation so far:\n\n${summary}` : undefined
}

const prefix = "mgc1."
