import { firstMatch } from "../../../contract/text/firstMatch.ts"
import { betasOfParts } from "../../../config/providers/claudePlaces.ts"
import type { ClaudePart } from "../../../config/providers/claudePlaces.ts"
import type { BetaRefusal } from "../Protocol.ts"

/**
 * The sent betas that a refusal is about: Anthropic and Vertex name them, AWS does not, and a field that a place does
 * not know is of a beta that it ignored. Undefined if the refusal is about something else.
 */
export const betaRefusal = (message: string, sent: ReadonlyArray<string>): BetaRefusal | undefined => {
  const isOfHeader = message.includes("`anthropic-beta` header") || message.toLowerCase().includes("invalid beta flag")
  const betas = isOfHeader ? named(message, sent) : behindPart(message, sent)
  if (betas.length > 0) return { betas, isNamed: true }
  return isOfHeader && sent.length > 0 ? { betas: sent, isNamed: false } : undefined
}

/** Names may begin with one another. */
const named = (message: string, sent: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = new Set(message.split(/[^\w.-]+/))
  return sent.filter((name) => words.has(name))
}

const behindPart = (message: string, sent: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [, path] = /^([\w.]{1,200}): Extra inputs are not permitted/.exec(message) ?? []
  const behind = path === undefined ? undefined : firstMatch(paths, path)
  if (behind === undefined) return []
  return sent.filter((name) => behind.some((part) => betasOfParts[part].some((start) => name.startsWith(start))))
}

/** Parts by the paths that refusals name. Anything else inside a part is not of its beta. */
const paths: ReadonlyArray<readonly [RegExp, ReadonlyArray<ClaudePart>]> = [
  [/^context_management$/, ["context_management.edits", "context_management.compact"]],
  [/^mcp_servers$/, ["mcp_servers"]],
  [/^container(?:\.skills)?$/, ["container"]],
  [/^speed$/, ["speed"]],
  [/^diagnostics$/, ["diagnostics"]],
  [/^output_format$/, ["output_format"]],
  [/^output_config\.task_budget$/, ["output_config.task_budget"]],
  [/\.cache_control\.(?:\w+\.)?scope$/, ["cache_control.scope"]],
  [/^tools\..*\.defer_loading$/, ["defer_loading"]],
  [/^tools\..*\.input_examples$/, ["input_examples"]],
  [/^tools\..*\.allowed_callers$/, ["allowed_callers"]],
  [/^messages\.\d+\.output_config$/, ["messages[].output_config"]]
]
