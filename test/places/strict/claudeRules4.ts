import { claudeRule, docs, eachBlock, turnsOf } from "./claude.ts"
import { blocksOf, claude, isText, list, rule, stranger } from "./rule.ts"

claudeRule(
  "claude.count-tokens",
  claude,
  "documented",
  "2026-11",
  `${docs}/build-with-claude/token-counting`,
  "what is not counted: server tools, MCP servers, sources by address or file",
  (view, ask) => {
    if (!/count[-_]tokens/.test(ask.path)) return undefined
    const tool = list(view.tools).find(({ type }) =>
      /^(web_search|web_fetch|code_execution|tool_search_tool)_/.test(type ?? "")
    )
    if (tool !== undefined) return `tools: ${tool.type} is not supported for token counting`
    if (view.mcp_servers !== undefined) return "mcp_servers: not supported for token counting"
    const sources = turnsOf(view)
      .flatMap(blocksOf)
      .flatMap((block) => [block, ...list(block.content)])
      .map(({ source }) => source?.type)
    return sources.includes("url") || sources.includes("file")
      ? "messages: image and document sources of type url or file are not supported for token counting"
      : undefined
  }
)

claudeRule(
  "claude.metadata",
  claude,
  "documented",
  "2024-06",
  `${docs}/api/messages`,
  "metadata has user_id alone, 256 characters",
  (view) => {
    const other = stranger(view.metadata, "user_id")
    return other !== undefined
      ? `metadata.${other}: Extra inputs are not permitted`
      : view.metadata?.user_id?.length > 256
        ? "metadata.user_id: String should have at most 256 characters"
        : undefined
  }
)

claudeRule(
  "claude.stop",
  claude,
  "tracker",
  "2024-12",
  "https://github.com/BerriAI/litellm/issues/3286",
  "no stop sequence of white space",
  (view) =>
    list(view.stop_sequences).some((text) => !isText(text) || text.trim() === "")
      ? "stop_sequences: each stop sequence must contain non-whitespace"
      : undefined
)

claudeRule(
  "claude.citations-null",
  ["bedrock-invoke"],
  "tracker",
  "2025-02",
  "https://github.com/anthropics/claude-code/issues/94",
  "citations on a text that is sent back",
  (view) =>
    eachBlock(view, ({ citations, type }, at, { role }) =>
      type === "text" && role === "assistant" && citations !== undefined && list(citations).length === 0
        ? `${at}.text.citations: Extra inputs are not permitted`
        : undefined
    )
)

rule(
  "claude.size",
  claude,
  "documented",
  "2026-03",
  `${docs}/api/overview (request size limits)`,
  "32 MB at Anthropic, 30 MB at Vertex, 20 MB at Bedrock",
  (ask) => {
    const bound =
      { anthropic: 32, "foundry-claude": 32, "vertex-claude": 30, "bedrock-invoke": 20, "bedrock-mantle": 20 }[
        ask.place as string
      ] ?? 32
    return ask.bytes > bound * 1024 * 1024
      ? { says: "Request exceeds the maximum size", status: 413, type: "request_too_large" }
      : undefined
  }
)

rule(
  "claude.model-id",
  ["bedrock-mantle"],
  "tracker",
  "2026-07",
  "https://github.com/obra/lace/pull/355",
  "Mantle takes bare ids alone",
  (ask) =>
    /^(us|eu|global|apac|jp|au)\./.test(ask.model)
      ? { says: `model: ${ask.model}`, status: 404, type: "not_found_error" }
      : undefined
)
