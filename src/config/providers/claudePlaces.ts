import { claudeVersion } from "./claudeVersion.ts"

/** Tells a model that a rule is about, by its public id. */
type Models = (model: string) => boolean

/** Parts of a request that hang on betas, or that some places lack. */
export type ClaudePart = keyof typeof betasOfParts

/** The beginnings of the betas' names without one of which a part is refused; none if it is of no beta. */
export const betasOfParts = {
  "context_management.edits": ["context-management-"],
  "context_management.compact": ["compact-"],
  mcp_servers: ["mcp-client-", "mcp-servers-"],
  container: ["skills-", "code-execution-"],
  speed: ["fast-mode-"],
  diagnostics: ["cache-diagnosis-"],
  output_format: ["structured-outputs-"],
  "output_config.task_budget": ["task-budgets-"],
  "cache_control.scope": ["prompt-caching-scope-"],
  defer_loading: ["tool-search-tool-", "advanced-tool-use-"],
  input_examples: ["tool-examples-", "advanced-tool-use-"],
  allowed_callers: ["advanced-tool-use-"],
  "messages[].tool_changes": ["mid-conversation-tool-changes-"],
  "messages[].output_config": ["mid-conversation-output-config-"],
  "messages[].system": ["mid-conversation-system-"],
  cache_control: [],
  inference_geo: [],
  "cache_control.ttl": [],
  "output_config.effort": []
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** One of the places of Anthropic's messages. A part that it does not take is left out and named. */
export interface ClaudePlace {
  /** The only betas that it takes, with the models that it takes them for. Absent if it takes all but `drops`. */
  readonly takes?: Readonly<Record<string, Models>>
  /** Betas that it refuses. */
  readonly drops?: ReadonlyArray<string>
  /** The names that betas have there. */
  readonly renames?: Readonly<Record<string, string>>
  /** The betas that it takes beside a request whose tokens it counts. Absent if it takes the same as elsewhere. */
  readonly counting?: ReadonlyArray<string>
  /** Betas without which it refuses a part. */
  readonly needs?: Readonly<Partial<Record<ClaudePart, string>>>
  /** Parts that it lacks, whatever beta comes with them, with the models that lack them. */
  readonly lacks?: Readonly<Partial<Record<ClaudePart, Models>>>
  /** Types of Anthropic's tools that it neither runs nor takes. */
  readonly lacksTools?: RegExp
  /** True if it takes images and documents as bytes alone: their addresses are refused. */
  readonly bytesAlone?: true
  /** Versions of the dialect that it takes for some models alone. */
  readonly versions?: Readonly<Record<string, Models>>
  /** True at the dialect's own place: what is refused there is the caller's to read. */
  readonly isOwn?: true
}

const all: Models = () => true
const upTo =
  (version: number): Models =>
  (model) =>
    claudeVersion(model) <= version
const from =
  (version: number): Models =>
  (model) =>
    claudeVersion(model) >= version
const take = (...names: ReadonlyArray<string>): Readonly<Record<string, Models>> =>
  Object.fromEntries(names.map((name) => [name, all]))

/** System text between turns needs no beta from this generation on; before, no model takes it. */
export const takesSystemTurns: Models = from(4.8)

/** Betas that Bedrock and Vertex take. */
const atClouds = take(
  "compact-2026-01-12",
  "computer-use-2025-01-24",
  "computer-use-2025-11-24",
  "context-1m-2025-08-07",
  "context-management-2025-06-27",
  "dangerous-tool-use-2026-09-03",
  "thinking-binding-controls-2026-08-01",
  "thinking-display-updates-2026-08-18",
  "tool-search-tool-2025-10-19"
)
const toolSearch = "tool-search-tool-2025-10-19"
const toolExamples = "tool-examples-2025-10-29"
/** A field whose beta the caller forgot, or whose client sends it as a header that a proxy drops. */
const contextManagement = { "context_management.edits": "context-management-2025-06-27" } as const
const renames = { "advanced-tool-use-2025-11-20": toolSearch }

/** Parts of features that are at Anthropic and Foundry alone. */
const notAtClouds = {
  allowed_callers: all,
  cache_control: all,
  container: all,
  diagnostics: all,
  inference_geo: all,
  mcp_servers: all,
  speed: all
}

/** Effort before Opus 4.5 and before 4.6. */
const withoutEffort: Models = (model) => claudeVersion(model) < 4.5 || /(?:sonnet|haiku)-4[-.]5/.test(model)

/**
 * The places of Anthropic's messages: Anthropic's pages on its features at other platforms, AWS's page on the request of
 * InvokeModel, LiteLLM's `anthropic_beta_headers_config.json` (2026-09), anthropics/claude-code issues 9, 12122, 21767
 * and 49648. Betas are dated; tables age, so a beta that a place refuses all the same is left out of a second try.
 */
export const claudePlaces = {
  /** Anthropic's own API, and its Claude Platform on AWS. */
  anthropic: { isOwn: true },
  /** Bedrock's InvokeModel. */
  invoke: {
    takes: {
      ...atClouds,
      ...take(
        "dev-full-thinking-2025-05-14",
        "effort-2025-11-24",
        "fine-grained-tool-streaming-2025-05-14",
        "mid-conversation-output-config-2026-07-01",
        "mid-conversation-tool-changes-2026-07-01",
        toolExamples
      ),
      "claude-code-20250219": upTo(4.6),
      "interleaved-thinking-2025-05-14": upTo(4.6),
      "output-128k-2025-02-19": upTo(3.7),
      "token-efficient-tools-2025-02-19": upTo(3.7)
    },
    renames,
    needs: { ...contextManagement, defer_loading: toolSearch, input_examples: toolExamples },
    lacks: { ...notAtClouds, "cache_control.ttl": upTo(4.4), "output_config.effort": withoutEffort },
    lacksTools: /^(?:web_search|web_fetch|code_execution|advisor)_\d+$|^mcp_toolset$/,
    bytesAlone: true,
    versions: { "2026-10-21": from(4.7) }
  },
  /** Bedrock's Mantle, and `…/anthropic` at Bedrock's runtime. */
  mantle: {
    takes: {
      ...atClouds,
      ...take(
        "claude-code-20250219",
        "effort-2025-11-24",
        "fine-grained-tool-streaming-2025-05-14",
        "interleaved-thinking-2025-05-14",
        "output-128k-2025-02-19",
        "per-turn-control-2026-07-01",
        "structured-outputs-2025-11-13",
        "token-efficient-tools-2025-02-19",
        toolExamples,
        "web-search-2025-03-05"
      )
    },
    renames,
    needs: { ...contextManagement, defer_loading: toolSearch, input_examples: toolExamples },
    lacks: notAtClouds,
    lacksTools: /^(?:web_fetch|code_execution|advisor)_\d+$|^mcp_toolset$/,
    bytesAlone: true
  },
  /** Google's Vertex. */
  vertex: {
    takes: {
      ...atClouds,
      ...take(
        "claude-code-20250219",
        "compact-2026-09-04",
        "interleaved-thinking-2025-05-14",
        "per-turn-control-2026-07-01",
        "web-search-2025-03-05"
      )
    },
    renames,
    counting: ["claude-code-20250219", "context-management-2025-06-27", "interleaved-thinking-2025-05-14"],
    needs: { ...contextManagement, defer_loading: toolSearch },
    lacks: { ...notAtClouds, input_examples: all },
    lacksTools: /^(?:web_search_(?!20250305$)|(?:web_fetch|code_execution|advisor)_)\d+$|^mcp_toolset$/,
    bytesAlone: true
  },
  /** Microsoft's Foundry. */
  foundry: {
    drops: [
      "advisor-tool-2026-03-01",
      "cache-diagnosis-2026-04-07",
      "compact-2026-01-12",
      "fast-mode-2026-02-01",
      "fine-grained-tool-streaming-2025-05-14",
      "mcp-servers-2025-12-04",
      "output-128k-2025-02-19",
      "thinking-binding-controls-2026-08-01",
      "token-efficient-tools-2025-02-19"
    ]
  }
} satisfies Readonly<Record<string, ClaudePlace>>

export type ClaudePlaceName = keyof typeof claudePlaces
