import { InvalidRequest } from "../contract/failures/Failure.ts"
import { listAt } from "../contract/json/json.ts"
import type { AnyRequest, InputMessage } from "./Request.ts"

/** The version of Anthropic's interface from which on it refuses the fields below. */
const strictSince = "2026-10-21"
const samplingFields = ["temperature", "top_p", "top_k"] as const

/**
 * The first thing that Anthropic refuses under the request's `anthropic-version`, though other models can be asked for
 * it (https://platform.claude.com/docs/en/api/migration-2026-10-21).
 */
export const versionRule = (request: AnyRequest, version: string | null): InvalidRequest | undefined => {
  if (version === null || !/^\d{4}-\d\d-\d\d$/.test(version) || version < strictSince) return undefined
  const broken = (param: string, rule: string) =>
    new InvalidRequest({ param, message: `${param}: ${rule} under anthropic-version ${version}` })
  const sampling = samplingFields.find((name) => (request[name] ?? undefined) !== undefined)
  if (sampling !== undefined) return broken(sampling, "is not accepted")
  if (typeof request.messages === "string") return undefined
  for (const [index, { content, role }] of request.messages.entries()) {
    if (typeof content === "string") continue
    const at = content.findIndex((block) => isRefused(role, block))
    const param = `messages[${index}].content[${at}]`
    if (at >= 0 && role === "assistant")
      return broken(param, "a document block is not accepted in an assistant message")
    if (at >= 0) return broken(`${param}.citations`, "must be empty on a user's text block")
  }
  return undefined
}

const isRefused = (role: InputMessage["role"], block: { readonly type: string }): boolean =>
  role === "assistant"
    ? block.type === "document"
    : role === "user" && block.type === "text" && listAt(block, "citations").length > 0
