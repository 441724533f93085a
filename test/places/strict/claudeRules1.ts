import data from "./data.json"
import { aws, betaTable, claudeRule, claudeVersion, docs, isClaude, named, thinks } from "./claude.ts"
import { anyClaude, claude, clouds, firstOf, list, rule, stranger, words } from "./rule.ts"
import type { Any } from "./rule.ts"

rule(
  "claude.beta",
  anyClaude,
  "tracker",
  "2026-09",
  `${betaTable}; ${aws}/model-parameters-anthropic-claude-messages-request-response.html; https://github.com/anthropics/claude-code/issues/49648 and 21767`,
  "a beta that the place does not know",
  (ask) => {
    if (!isClaude(ask)) return undefined
    const lists = (data.betas as Any)[ask.place]
    const counts = /count[-_]tokens/.test(ask.path)
    const bad = ask.betas.filter((beta) => {
      if (lists.drop !== undefined) return lists.drop.includes(beta)
      if (counts && lists.count_tokens !== undefined) return !lists.count_tokens.includes(beta)
      if (!lists.allow.includes(beta)) return true
      return claudeVersion(ask.model) >= 4.7 && named(ask) && list(lists.not_from_4_7).includes(beta)
    })
    if (bad.length === 0) return undefined
    return ask.place.startsWith("bedrock")
      ? "invalid beta flag"
      : `Unexpected value(s) ${bad.map((beta) => `\`${beta}\``).join(", ")} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`
  }
)

claudeRule(
  "claude.field-without-beta",
  claude,
  "tracker",
  "2026-05",
  "https://github.com/Wei-Shaw/sub2api/issues/2726; https://github.com/anthropics/claude-code/issues/49548",
  "a field whose beta was not sent, or is not known at the place",
  (view, ask) =>
    firstOf(Object.entries(data.fieldOfBeta), ([field, betas]) =>
      view[field] !== undefined && !betas.some((start) => ask.betas.some((beta) => beta.startsWith(start)))
        ? `${field}: Extra inputs are not permitted`
        : undefined
    )
)

claudeRule(
  "claude.field-not-at-clouds",
  clouds,
  "documented",
  "2026-03",
  `${docs}/build-with-claude/overview (availability)`,
  "fields of features that the clouds do not have",
  (view) => {
    const field = words(data.fields.notAtClouds).find((name) => view[name] !== undefined)
    return field === undefined ? undefined : `${field}: Extra inputs are not permitted`
  }
)

claudeRule(
  "claude.unknown-field",
  claude,
  "documented",
  "2026-03",
  `${docs}/api/messages`,
  "a field that no version has",
  (view) => {
    const field = stranger(view, data.fields.claude)
    return field === undefined ? undefined : `${field}: Extra inputs are not permitted`
  }
)

claudeRule(
  "claude.top-cache-control",
  clouds,
  "tracker",
  "2026-05",
  "https://github.com/UKGovernmentBEIS/inspect_ai/pull/3851",
  "automatic caching is at Anthropic and Foundry alone",
  (view) => (view.cache_control === undefined ? undefined : "cache_control: Extra inputs are not permitted")
)

claudeRule(
  "claude.model-in-body",
  ["bedrock-invoke", "vertex-claude"],
  "documented",
  "2026-11",
  `${docs}/build-with-claude/claude-on-vertex-ai`,
  "model is a part of the path",
  (view, ask) =>
    view.model === undefined || /count[-_]tokens/.test(ask.path) ? undefined : "model: Extra inputs are not permitted"
)

claudeRule(
  "claude.stream-in-body",
  ["bedrock-invoke"],
  "tracker",
  "2025-10",
  `${aws}/model-parameters-anthropic-claude-messages-request-response.html`,
  "streaming is a part of the path",
  (view) => (view.stream === undefined ? undefined : "stream: Extra inputs are not permitted")
)

claudeRule(
  "claude.version",
  claude,
  "documented",
  "2026-11",
  `${docs}/api/versioning; ${docs}/build-with-claude/claude-on-amazon-bedrock-legacy`,
  "the version is missing, or is none of the place",
  (view, ask) => {
    const known =
      {
        anthropic: ["2023-06-01", "2023-01-01", "2026-10-21"],
        "foundry-claude": ["2023-06-01", "2026-10-21"],
        "bedrock-mantle": ["2023-06-01", "2026-10-21"],
        "bedrock-invoke": ["bedrock-2023-05-31", "2026-10-21"],
        "vertex-claude": ["vertex-2023-10-16", "2026-10-21"]
      }[ask.place as string] ?? []
    const inBody = ask.place === "bedrock-invoke" || ask.place === "vertex-claude"
    const version = inBody ? view.anthropic_version : ask.headers["anthropic-version"]
    if (version === undefined)
      return inBody ? "anthropic_version: Field required" : "anthropic-version: header is required"
    if (ask.place === "bedrock-invoke" && version === "2026-10-21" && claudeVersion(ask.model) < 4.7)
      return 'anthropic_version: "2026-10-21" is not supported for this model'
    return known.includes(version) ? undefined : `anthropic-version: "${version}" is not a valid version`
  }
)

claudeRule(
  "claude.version-sampling",
  claude,
  "documented",
  "2026-10",
  `${docs}/api/migration-2026-10-21`,
  "under 2026-10-21 there are no sampling fields",
  (view, ask) => {
    if ((view.anthropic_version ?? ask.headers["anthropic-version"]) !== "2026-10-21") return undefined
    const field = ["temperature", "top_p", "top_k"].find((name) => view[name] !== undefined)
    return field === undefined ? undefined : `${field}: Extra inputs are not permitted`
  }
)

claudeRule(
  "claude.sampling-gone",
  anyClaude,
  "documented",
  "2026-04",
  `${docs}/about-claude/models/whats-new-claude-4-7; https://github.com/tinovyatkin/amazon-bedrock-copilot-chat/issues/546`,
  "4.7 and later take no sampling",
  (view, ask) => {
    if (!named(ask) || claudeVersion(ask.model) < 4.7) return undefined
    const field = ["temperature", "top_p", "top_k"].find(
      (name) => view[name] !== undefined && !(name !== "top_k" && view[name] === 1)
    )
    return field === undefined ? undefined : `\`${field}\` is deprecated for this model.`
  }
)

claudeRule(
  "claude.temperature-top_p",
  anyClaude,
  "tracker",
  "2025-09",
  "https://github.com/chatboxai/chatbox/issues/2670; https://github.com/BerriAI/litellm/issues/15097",
  "from 4.1 on, one of both",
  (view, ask) => {
    const version = claudeVersion(ask.model)
    const both =
      view.temperature !== undefined && view.temperature !== null && view.top_p !== undefined && view.top_p !== null
    return both && version >= 4.1 && version < 4.7
      ? "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
      : undefined
  }
)

claudeRule(
  "claude.temperature-range",
  anyClaude,
  "documented",
  "2025-09",
  `${docs}/api/messages`,
  "temperature is 0 to 1",
  (view) => (view.temperature > 1 ? "temperature: range: 0..1" : undefined)
)

claudeRule(
  "claude.max_tokens",
  claude,
  "documented",
  "2025-09",
  `${docs}/api/messages`,
  "max_tokens is there, and at most the model's",
  (view, ask) => {
    if (/count[-_]tokens/.test(ask.path)) return undefined
    if (!Number.isInteger(view.max_tokens)) return "max_tokens: Field required"
    if (view.max_tokens < 1) return "max_tokens: must be greater than or equal to 1"
    const bounds: ReadonlyArray<readonly [RegExp, number]> = [
      [/claude-3-haiku|claude-3-opus|claude-3-sonnet/, 4096],
      [/claude-3-5/, 8192],
      [/claude-opus-4(?:-1)?[-@]2025|claude-opus-4-[01]/, 32000],
      [/claude-(?:sonnet|haiku|opus)-4(?:-5)?[-@]?20|claude-(?:sonnet|haiku|opus)-4-5/, 64000]
    ]
    const bound = bounds.find(([pattern]) => pattern.test(ask.model))?.[1]
    return bound !== undefined && view.max_tokens > bound
      ? `max_tokens: ${view.max_tokens} > ${bound}, which is the maximum allowed number of output tokens for ${ask.model}`
      : undefined
  }
)

claudeRule(
  "claude.thinking-budget",
  anyClaude,
  "documented",
  "2025-05",
  `${docs}/build-with-claude/extended-thinking`,
  "a budget is at least 1,024 and less than max_tokens",
  (view) => {
    if (view.thinking?.type !== "enabled") return undefined
    const budget = view.thinking.budget_tokens
    if (budget === undefined) return "thinking.enabled.budget_tokens: Field required"
    if (budget < 1024) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    return view.max_tokens !== undefined && budget >= view.max_tokens
      ? "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size"
      : undefined
  }
)

claudeRule(
  "claude.thinking-kind",
  anyClaude,
  "documented",
  "2026-06",
  `${docs}/build-with-claude/adaptive-thinking; https://github.com/rohitg00/pro-workflow/pull/97`,
  "budgets end with 4.7; adaptive begins with 4.6",
  (view, ask) => {
    if (!named(ask)) return undefined
    const version = claudeVersion(ask.model)
    if (view.thinking?.type === "enabled" && version >= 4.7)
      return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
    if (view.thinking?.type === "adaptive" && version < 4.6) return "adaptive thinking is not supported on this model"
    return thinks(view) && version < 3.7 ? "'thinking' is not supported on this model" : undefined
  }
)

claudeRule(
  "claude.thinking-off-at-high-effort",
  anyClaude,
  "documented",
  "2026-08",
  `${docs}/build-with-claude/thinking`,
  "from Opus 5 on, thinking cannot be off at xhigh or max",
  (view, ask) =>
    named(ask) &&
    claudeVersion(ask.model) >= 5 &&
    view.thinking?.type === "disabled" &&
    ["xhigh", "max"].includes(view.output_config?.effort)
      ? "thinking: cannot be disabled when output_config.effort is 'xhigh' or 'max' for this model"
      : undefined
)
