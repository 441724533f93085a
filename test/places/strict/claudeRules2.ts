import { claudeRule, claudeVersion, docs, eachBlock, named, thinks, turnsOf } from "./claude.ts"
import { anyClaude, blocksOf, claude, firstOf, isText, list, words } from "./rule.ts"

claudeRule(
  "claude.thinking-sampling",
  anyClaude,
  "documented",
  "2025-05",
  `${docs}/build-with-claude/extended-thinking`,
  "with thinking: temperature 1, no top_k, top_p from 0.95",
  (view) => {
    if (!thinks(view)) return undefined
    const see =
      "Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking"
    if (view.temperature !== undefined && view.temperature !== 1)
      return `\`temperature\` may only be set to 1 when thinking is enabled. ${see}`
    if (view.top_k !== undefined) return `\`top_k\` must be unset when thinking is enabled. ${see}`
    return view.top_p !== undefined && view.top_p < 0.95
      ? `\`top_p\` must be greater than or equal to 0.95 or unset when thinking is enabled. ${see}`
      : undefined
  }
)

claudeRule(
  "claude.thinking-forced-tool",
  anyClaude,
  "documented",
  "2025-05",
  `${docs}/build-with-claude/extended-thinking`,
  "no forced tool with thinking",
  (view) =>
    thinks(view) && ["any", "tool"].includes(view.tool_choice?.type)
      ? "Thinking may not be enabled when tool_choice forces tool use."
      : undefined
)

claudeRule(
  "claude.effort",
  ["bedrock-invoke"],
  "tracker",
  "2026-03",
  "https://github.com/anthropics/claude-code-action/issues/1005",
  "effort before Opus 4.5 and Sonnet 4.6",
  (view, ask) => {
    const has = view.output_config?.effort !== undefined
    const old = claudeVersion(ask.model) < 4.5 || /(sonnet|haiku)-4-5/.test(ask.model)
    return has && old ? "output_config.effort: Extra inputs are not permitted" : undefined
  }
)

claudeRule(
  "claude.prefill",
  anyClaude,
  "documented",
  "2026-02",
  `${docs}/about-claude/models/whats-new-claude-4-6; https://github.com/langchain-ai/deepagents/issues/1585`,
  "no prefill from 4.6 on, nor with thinking",
  (view, ask) => {
    if (turnsOf(view).at(-1)?.role !== "assistant") return undefined
    if (named(ask) && claudeVersion(ask.model) >= 4.6)
      return "This model does not support assistant message prefill. The conversation must end with a user message."
    if (view.thinking?.type === "enabled" && ask.place !== "bedrock-converse")
      return "messages: When thinking is enabled, the conversation must not end with an assistant message"
    const last = blocksOf(turnsOf(view).at(-1)).at(-1)
    return isText(last?.text) && /\s$/.test(last.text)
      ? "messages: final assistant content cannot end with trailing whitespace"
      : undefined
  }
)

claudeRule(
  "claude.no-messages",
  claude,
  "documented",
  "2024-03",
  `${docs}/api/messages`,
  "at least one message",
  (view) => (turnsOf(view).length === 0 ? "messages: at least one message is required" : undefined)
)

claudeRule(
  "claude.system-role",
  claude,
  "documented",
  "2026-05",
  `${docs}/build-with-claude/mid-conversation-system-messages; https://github.com/simonw/llm-anthropic/issues/73`,
  "role system inside messages from Opus 4.8 and Sonnet 5 on, behind a user's turn",
  (view, ask) => {
    const index = turnsOf(view).findIndex(({ role }) => role === "system")
    if (index === -1) return undefined
    if (named(ask) && claudeVersion(ask.model) < 4.8) return "role 'system' is not supported on this model"
    return index === 0
      ? 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
      : undefined
  }
)

claudeRule(
  "claude.role",
  claude,
  "documented",
  "2024-03",
  `${docs}/api/messages`,
  "roles are user and assistant",
  (view) =>
    firstOf(turnsOf(view), ({ role }, index) =>
      ["user", "assistant", "system"].includes(role)
        ? undefined
        : `messages.${index}.role: Input should be 'user' or 'assistant'`
    )
)

claudeRule(
  "claude.empty",
  claude,
  "tracker",
  "2026-05",
  "https://github.com/anthropics/claude-code/issues/59812",
  "no empty texts, no empty turns",
  (view) =>
    firstOf(turnsOf(view), (turn, index) => {
      const isLast = index === turnsOf(view).length - 1 && turn.role === "assistant"
      const blocks = blocksOf(turn)
      if (!isLast && (blocks.length === 0 || turn.content === ""))
        return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`
      if (blocks.some(({ text, type }) => type === "text" && text === ""))
        return "messages: text content blocks must be non-empty"
      return blocks.some(({ text, type }) => type === "text" && isText(text) && text.trim() === "")
        ? "messages: text content blocks must contain non-whitespace text"
        : undefined
    }) ??
    (list(view.system).some(({ text }) => text === "") ? "system: text content blocks must be non-empty" : undefined)
)

claudeRule(
  "claude.block",
  claude,
  "documented",
  "2026-03",
  `${docs}/api/messages`,
  "types of blocks, by role",
  (view) =>
    eachBlock(view, ({ type }, at, { role }) => {
      const all =
        "text image document search_result thinking redacted_thinking tool_use tool_result server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result text_editor_code_execution_tool_result mcp_tool_use mcp_tool_result container_upload compaction tool_search_tool_result tool_reference tool_addition tool_removal mid_conv_system fallback connector_text"
      if (!words(all).includes(type))
        return `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'bash_code_execution_tool_result', 'code_execution_tool_result', 'container_upload', 'document', 'image', 'mcp_tool_result', 'mcp_tool_use', 'redacted_thinking', 'search_result', 'server_tool_use', 'text', 'text_editor_code_execution_tool_result', 'thinking', 'tool_result', 'tool_use', 'web_fetch_tool_result', 'web_search_tool_result'`
      if (role === "user" && ["tool_use", "thinking", "redacted_thinking"].includes(type))
        return `${at}: \`${type}\` blocks can only be in \`assistant\` messages`
      return role === "assistant" && ["tool_result", "image"].includes(type)
        ? `${at}: \`${type}\` blocks can only be in \`user\` messages`
        : undefined
    })
)

claudeRule(
  "claude.tool-pairs",
  claude,
  "tracker",
  "2026-01",
  "https://github.com/anthropics/claude-code/issues/1686; https://github.com/Kilo-Org/kilocode/issues/5163",
  "every call has its result in the next turn, every result its call in the turn before",
  (view) => {
    const turns = turnsOf(view).filter(({ role }) => role !== "system")
    const ids = turns
      .flatMap(blocksOf)
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => id)
    if (new Set(ids).size !== ids.length) return "messages: `tool_use` ids must be unique"
    return firstOf(turns, (turn, index) => {
      const calls = blocksOf(turn).filter(({ type }) => type === "tool_use")
      const answered = blocksOf(turns[index + 1])
        .filter(({ type }) => type === "tool_result")
        .map((block) => block.tool_use_id)
      const open = calls.filter(({ id }) => !answered.includes(id)).map(({ id }) => id)
      if (open.length > 0 && turn.role === "assistant")
        return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      const before = blocksOf(turns[index - 1])
        .filter(({ type }) => type === "tool_use")
        .map(({ id }) => id)
      return firstOf(blocksOf(turn), (block, at) =>
        block.type === "tool_result" && !before.includes(block.tool_use_id)
          ? `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
          : undefined
      )
    })
  }
)

claudeRule(
  "claude.tool-id",
  claude,
  "tracker",
  "2026-05",
  "https://github.com/CommandCodeAI/command-code/issues/323; https://github.com/RooCodeInc/Roo-Code/pull/10649",
  "ids of calls are letters, digits, _ and -",
  (view) =>
    eachBlock(view, ({ id, tool_use_id, type }, at) =>
      type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(id)
        ? `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`
        : type === "tool_result" && !/^[a-zA-Z0-9_-]+$/.test(tool_use_id)
          ? `${at}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`
          : undefined
    )
)

claudeRule("claude.tool-input", claude, "documented", "2025-05", `${docs}/api/messages`, "input is an object", (view) =>
  eachBlock(view, ({ input, type }, at) =>
    type === "tool_use" && (typeof input !== "object" || input === null || Array.isArray(input))
      ? `${at}.tool_use.input: Input should be a valid dictionary`
      : undefined
  )
)

claudeRule(
  "claude.tool-name",
  claude,
  "documented",
  "2026-03",
  `${docs}/agents-and-tools/tool-use/define-tools`,
  "names are 1 to 128 letters, digits, _ and -, and unique",
  (view) => {
    const tools = list(view.tools)
    const found = firstOf(tools, ({ name, type }, index) =>
      (type ?? "custom") === "custom" && !/^[a-zA-Z0-9_-]{1,128}$/.test(name)
        ? `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
        : undefined
    )
    const names = tools.map(({ name }) => name).filter(isText)
    return found ?? (new Set(names).size === names.length ? undefined : "tools: Tool names must be unique.")
  }
)

claudeRule(
  "claude.tool-schema",
  claude,
  "tracker",
  "2026-09",
  "https://github.com/kenn-io/kata/pull/365; https://github.com/earendil-works/pi/issues/8279",
  "a schema is an object's, without unions at its top",
  (view) =>
    firstOf(list(view.tools), ({ input_schema, type }, index) => {
      if ((type ?? "custom") !== "custom") return undefined
      if (input_schema === undefined) return `tools.${index}.custom.input_schema: Field required`
      if (input_schema.type === undefined) return `tools.${index}.custom.input_schema.type: Field required`
      if (input_schema.type !== "object") return `tools.${index}.custom.input_schema.type: Input should be 'object'`
      return ["oneOf", "allOf", "anyOf"].some((key) => key in input_schema)
        ? `tools.${index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
        : undefined
    })
)
