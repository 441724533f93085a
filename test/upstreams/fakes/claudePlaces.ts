// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

export type FakePlace = "invoke" | "mantle" | "vertex" | "foundry"

/** What a place of Claude is sent beside the body. */
export interface PlaceCall {
  readonly model: string
  readonly betas: ReadonlyArray<string>
  readonly version: string | undefined
  readonly isCount?: boolean
}

const words = (text: string): ReadonlyArray<string> => text.split(" ")

/** Betas by place, as their refusals in public threads and LiteLLM's table have them. */
const taken: Readonly<Record<Exclude<FakePlace, "foundry">, ReadonlyArray<string>>> = {
  invoke: words(
    "claude-code-20250219 interleaved-thinking-2025-05-14 compact-2026-01-12 computer-use-2025-01-24 " +
      "computer-use-2025-11-24 context-1m-2025-08-07 context-management-2025-06-27 effort-2025-11-24 " +
      "fine-grained-tool-streaming-2025-05-14 mid-conversation-output-config-2026-07-01 " +
      "mid-conversation-tool-changes-2026-07-01 output-128k-2025-02-19 thinking-binding-controls-2026-08-01 " +
      "thinking-display-updates-2026-08-18 token-efficient-tools-2025-02-19 tool-examples-2025-10-29 " +
      "tool-search-tool-2025-10-19"
  ),
  mantle: words(
    "claude-code-20250219 interleaved-thinking-2025-05-14 compact-2026-01-12 computer-use-2025-01-24 " +
      "computer-use-2025-11-24 context-1m-2025-08-07 context-management-2025-06-27 effort-2025-11-24 " +
      "fine-grained-tool-streaming-2025-05-14 output-128k-2025-02-19 per-turn-control-2026-07-01 " +
      "structured-outputs-2025-11-13 thinking-binding-controls-2026-08-01 thinking-display-updates-2026-08-18 " +
      "token-efficient-tools-2025-02-19 tool-examples-2025-10-29 tool-search-tool-2025-10-19 web-search-2025-03-05"
  ),
  vertex: words(
    "claude-code-20250219 interleaved-thinking-2025-05-14 compact-2026-01-12 computer-use-2025-01-24 " +
      "computer-use-2025-11-24 context-1m-2025-08-07 context-management-2025-06-27 per-turn-control-2026-07-01 " +
      "thinking-binding-controls-2026-08-01 thinking-display-updates-2026-08-18 tool-search-tool-2025-10-19 " +
      "web-search-2025-03-05"
  )
}
const countedAtVertex = words("claude-code-20250219 interleaved-thinking-2025-05-14 context-management-2025-06-27")
const refusedAtFoundry = words(
  "advisor-tool-2026-03-01 compact-2026-01-12 fast-mode-2026-02-01 fine-grained-tool-streaming-2025-05-14 " +
    "thinking-binding-controls-2026-08-01"
)
/** Refused by InvokeModel for models from 4.7 on. */
const notSince47 = words("claude-code-20250219 interleaved-thinking-2025-05-14")

const fieldOfBeta: Readonly<Record<string, ReadonlyArray<string>>> = {
  context_management: ["context-management-", "compact-"],
  mcp_servers: ["mcp-client-"],
  container: ["skills-", "code-execution-"],
  speed: ["fast-mode-"],
  output_format: ["structured-outputs-"],
  diagnostics: ["cache-diagnosis-"]
}
const fieldOfTools: Readonly<Record<string, string>> = {
  defer_loading: "tool-search-tool-",
  input_examples: "tool-examples-",
  allowed_callers: "advanced-tool-use-"
}
const notAtClouds = words("container mcp_servers speed inference_geo diagnostics cache_control")
const versions: Readonly<Record<FakePlace, ReadonlyArray<string>>> = {
  invoke: ["bedrock-2023-05-31", "2026-10-21"],
  vertex: ["vertex-2023-10-16", "2026-10-21"],
  mantle: ["2023-06-01", "2026-10-21"],
  foundry: ["2023-06-01", "2026-10-21"]
}

const isFrom47 = (model: string): boolean => /(?:opus|sonnet|haiku)-(?:4-[7-9]|[5-9])/.test(model)

/** What the place would answer 400 to; undefined where it takes the request. */
export const placeComplaint = (place: FakePlace, call: PlaceCall, body: Any): string | undefined => {
  const { betas, isCount, model, version } = call
  const bad = betas.filter((beta) => {
    if (place === "foundry") return refusedAtFoundry.includes(beta)
    if (place === "vertex" && isCount === true) return !countedAtVertex.includes(beta)
    return !taken[place].includes(beta) || (place === "invoke" && isFrom47(model) && notSince47.includes(beta))
  })
  if (bad.length > 0) {
    const named = bad.map((beta) => `\`${beta}\``).join(", ")
    return place === "invoke" || place === "mantle"
      ? "invalid beta flag"
      : `Unexpected value(s) ${named} for the \`anthropic-beta\` header. Please consult our documentation at ` +
          "docs.anthropic.com or try again without the header."
  }
  const extra = (field: string) => `${field}: Extra inputs are not permitted`
  const lacks = (starts: ReadonlyArray<string>) => !starts.some((start) => betas.some((beta) => beta.startsWith(start)))
  for (const [field, starts] of Object.entries(fieldOfBeta)) {
    if (body[field] !== undefined && lacks(starts)) return extra(field)
  }
  if (version === undefined || !versions[place].includes(version)) return `anthropic_version: ${version}`
  if (place === "invoke" && version === "2026-10-21" && !isFrom47(model)) {
    return 'anthropic_version: "2026-10-21" is not supported for this model'
  }
  if (place === "foundry") return undefined
  for (const field of notAtClouds) if (body[field] !== undefined) return extra(field)
  for (const [index, tool] of (body.tools ?? []).entries()) {
    for (const [field, start] of Object.entries(fieldOfTools)) {
      if (tool[field] !== undefined && lacks([start])) return extra(`tools.${index}.custom.${field}`)
    }
    if (/^(?:web_fetch|code_execution|advisor)_/.test(tool.type ?? "")) {
      return `tools.${index}: Input tag '${tool.type}' found using 'type' does not match any of the expected tags`
    }
  }
  return /"cache_control":\{[^}]*"scope"/.test(JSON.stringify(body))
    ? extra("system.0.cache_control.ephemeral.scope")
    : undefined
}

/** The betas of a header. */
export const betasIn = (headers: Headers): ReadonlyArray<string> =>
  (headers.get("anthropic-beta") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
