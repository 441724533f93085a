import { claudeRule, claudeVersion, docs, eachBlock, turnsOf } from "./claude.ts"
import { anyClaude, blocksOf, claude, clouds, copyWithoutTexts, firstOf, isText, list } from "./rule.ts"
import type { Any } from "./rule.ts"

claudeRule(
  "claude.tool-field",
  ["bedrock-invoke", "bedrock-mantle", "vertex-claude"],
  "tracker",
  "2026-08",
  "https://github.com/BerriAI/litellm/pull/36855; https://github.com/maximhq/bifrost/blob/0c11e43b/core/providers/anthropic/types.go",
  "fields of tools that the clouds refuse, or take with a beta alone",
  (view, ask) => {
    const needs: Readonly<Record<string, ReadonlyArray<string>>> = {
      defer_loading: ["tool-search-tool-"],
      input_examples: ["tool-examples-"],
      allowed_callers: [],
      custom: []
    }
    return firstOf(list(view.tools), (tool, index) =>
      firstOf(Object.entries(needs), ([field, starts]) =>
        tool[field] !== undefined && !starts.some((start) => ask.betas.some((beta) => beta.startsWith(start)))
          ? `tools.${index}.custom.${field}: Extra inputs are not permitted`
          : undefined
      )
    )
  }
)

claudeRule(
  "claude.server-tool",
  clouds,
  "documented",
  "2026-03",
  `${docs}/build-with-claude/overview (availability); https://github.com/maximhq/bifrost/blob/0c11e43b/core/providers/anthropic/types.go`,
  "tools that run at Anthropic alone",
  (view, ask) => {
    const at =
      ask.place === "bedrock-invoke"
        ? /^(?!custom|bash_|text_editor_|computer_|memory_|tool_search_tool_)/
        : ask.place === "vertex-claude"
          ? /^(?!custom|bash_|text_editor_|computer_|memory_|tool_search_tool_|web_search_20250305)/
          : /^(?!custom|bash_|text_editor_|computer_|memory_|tool_search_tool_|web_search_)/
    return firstOf(list(view.tools), ({ type }, index) =>
      isText(type) && at.test(type)
        ? `tools.${index}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'bash_20250124', 'custom', 'memory_20250818', 'text_editor_20250124', 'text_editor_20250429', 'text_editor_20250728'`
        : undefined
    )
  }
)

claudeRule(
  "claude.tool-choice",
  claude,
  "documented",
  "2025-05",
  `${docs}/agents-and-tools/tool-use/define-tools`,
  "a choice needs tools, and names one of them",
  (view) => {
    const choice = view.tool_choice
    if (choice === undefined || choice === null) return undefined
    if (list(view.tools).length === 0 && choice.type !== "none")
      return "tool_choice: may only be specified while providing tools"
    return choice.type === "tool" && !list(view.tools).some(({ name }) => name === choice.name)
      ? `tool_choice.name: Tool '${choice.name}' not found in provided tools`
      : undefined
  }
)

claudeRule(
  "claude.cache-marks",
  anyClaude,
  "documented",
  "2025-05",
  `${docs}/build-with-claude/prompt-caching`,
  "at most four marks",
  (view, ask) => {
    const text = copyWithoutTexts(ask.body)
    const marks = text.split(ask.place === "bedrock-converse" ? '"cachePoint"' : '"cache_control":{').length - 1
    return marks > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.` : undefined
  }
)

claudeRule(
  "claude.cache-place",
  claude,
  "documented",
  "2025-05",
  `${docs}/build-with-claude/prompt-caching`,
  "no mark on thinking, nor on an empty text",
  (view) =>
    eachBlock(view, ({ cache_control, text, type }, at) =>
      cache_control === undefined || cache_control === null
        ? undefined
        : type === "thinking" || type === "redacted_thinking"
          ? `${at}.${type}.cache_control: Extra inputs are not permitted`
          : type === "text" && text === ""
            ? `${at}.text: cache_control cannot be set for empty text blocks`
            : undefined
    )
)

claudeRule(
  "claude.cache-ttl-order",
  claude,
  "tracker",
  "2026-04",
  "https://github.com/cnighswonger/claude-code-cache-fix/issues/44; https://github.com/headroomlabs-ai/headroom/issues/2939",
  "1h does not come after 5m (tools, system, messages)",
  (view) => {
    const marked: ReadonlyArray<readonly [string, Any]> = [
      ...list(view.tools).map((tool, at) => [`tools.${at}`, tool] as const),
      ...list(view.system).map((block, at) => [`system.${at}`, block] as const),
      ...turnsOf(view).flatMap((turn, index) =>
        blocksOf(turn).map((block, at) => [`messages.${index}.content.${at}`, block] as const)
      )
    ]
    let short = false
    return firstOf(marked, ([at, block]) => {
      const mark = block?.cache_control
      if (mark === undefined || mark === null) return undefined
      if (mark.ttl === "1h" && short)
        return `${at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`
      short ||= mark.ttl !== "1h"
      return undefined
    })
  }
)

claudeRule(
  "claude.cache-scope",
  clouds,
  "tracker",
  "2026-02",
  "https://github.com/anthropics/claude-code/issues/21676; https://github.com/maximhq/bifrost/blob/0c11e43b/core/providers/anthropic/types.go",
  "cache_control.scope is at Anthropic and Foundry alone",
  (view) =>
    /"cache_control":\{[^}]*"scope"/.test(copyWithoutTexts(view))
      ? "system.0.cache_control.ephemeral.scope: Extra inputs are not permitted"
      : undefined
)

claudeRule(
  "claude.cache-ttl",
  ["bedrock-invoke"],
  "tracker",
  "2025-11",
  "https://github.com/anthropics/claude-code/issues/12122",
  "ttl is for 4.5 and later at Bedrock",
  (view, ask) =>
    claudeVersion(ask.model) < 4.5 && /"cache_control":\{[^}]*"ttl"/.test(copyWithoutTexts(view))
      ? "cache_control.ephemeral.ttl: Extra inputs are not permitted"
      : undefined
)

claudeRule(
  "claude.url-source",
  clouds,
  "documented",
  "2026-11",
  `${docs}/build-with-claude/vision (supportedPlatforms); https://github.com/BerriAI/litellm/issues/18430`,
  "base64 alone at Bedrock, Mantle and Vertex",
  (view) => {
    const sources = turnsOf(view)
      .flatMap(blocksOf)
      .flatMap((block) => [block, ...list(block.content)])
      .map(({ source }) => source?.type)
    return sources.includes("url")
      ? "URL sources are not supported"
      : sources.includes("file")
        ? "file sources are not supported"
        : undefined
  }
)

claudeRule(
  "claude.image",
  claude,
  "documented",
  "2025-05",
  `${docs}/build-with-claude/vision`,
  "jpeg, png, gif, webp; base64 of that type; 5 MB",
  (view) => {
    const all = turnsOf(view).flatMap((turn, index) =>
      blocksOf(turn).flatMap((block, at) => [
        [block, `messages.${index}.content.${at}`] as const,
        ...list(block.content).map(
          (inner, deep) => [inner, `messages.${index}.content.${at}.${block.type}.content.${deep}`] as const
        )
      ])
    )
    return firstOf(all, ([block, at]) => {
      if (block?.type !== "image" || block.source?.type !== "base64") return undefined
      const { data: bytes, media_type } = block.source
      if (!["image/jpeg", "image/png", "image/gif", "image/webp"].includes(media_type))
        return `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`
      if (!isText(bytes) || !/^[A-Za-z0-9+/]+={0,2}$/.test(bytes))
        return `${at}.image.source.base64: invalid base64 data`
      const real = bytes.startsWith("iVBOR")
        ? "image/png"
        : bytes.startsWith("/9j/")
          ? "image/jpeg"
          : bytes.startsWith("R0lGOD")
            ? "image/gif"
            : bytes.startsWith("UklGR")
              ? "image/webp"
              : undefined
      if (real !== undefined && real !== media_type)
        return `${at}.image.source.base64.data: The image was specified using the ${media_type} media type, but the image appears to be a ${real} image`
      return bytes.length > (5 * 1024 * 1024 * 4) / 3
        ? `${at}.image.source.base64: image exceeds 5 MB maximum: ${Math.floor((bytes.length * 3) / 4)} bytes > 5242880 bytes`
        : undefined
    })
  }
)

claudeRule(
  "claude.signature",
  claude,
  "documented",
  "2025-05",
  `${docs}/build-with-claude/extended-thinking`,
  "thinking comes back with the signature that this place gave",
  (view, ask) =>
    eachBlock(view, ({ signature, type }, at) =>
      type !== "thinking"
        ? undefined
        : signature === undefined
          ? `${at}.thinking.signature: Field required`
          : ask.knows?.(signature) === false
            ? `${at}: Invalid \`signature\` in \`thinking\` block`
            : undefined
    )
)

claudeRule(
  "claude.thinking-first",
  claude,
  "documented",
  "2025-05",
  `${docs}/build-with-claude/extended-thinking`,
  "with a budget, the turn of a call under way begins with thinking",
  (view) => {
    const turns = turnsOf(view)
    if (view.thinking?.type !== "enabled" || !blocksOf(turns.at(-1)).some(({ type }) => type === "tool_result"))
      return undefined
    const index = turns.length - 2
    const first = blocksOf(turns[index])[0]?.type
    return first === undefined || first === "thinking" || first === "redacted_thinking"
      ? undefined
      : `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`
  }
)
