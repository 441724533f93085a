import { Schema } from "effect"
import { claudeVersion } from "../../config/providers/claudeVersion.ts"
import { answerField } from "../../contract/fields.ts"
import type { ModelFacts, ReasoningEffort } from "../../contract/records/ModelFacts.ts"
import type { Model } from "../Catalogue.ts"
import { windowOf } from "./modelFacts.ts"

const Supported = Schema.Struct({
  supported: answerField(Schema.Boolean, "False also where nothing says that it is.")
})
const is = (description: string) => answerField(Supported, description)
const maybe = (description: string) => answerField(Schema.NullOr(Supported), description)
const some = answerField(Schema.Boolean, "True if any of them is.")

const Capabilities = Schema.Struct({
  batch: is("Batches, which this gateway lacks."),
  citations: is("Citations of documents."),
  code_execution: is("Tools that code of the model calls."),
  context_management: answerField(
    Schema.Struct({
      supported: some,
      clear_thinking_20251015: maybe("Null: unknown."),
      clear_tool_uses_20250919: maybe("Null: unknown."),
      compact_20260112: maybe("Null: unknown.")
    }),
    "Edits of its context."
  ),
  effort: answerField(
    Schema.Struct({
      supported: some,
      low: is("The effort `low`."),
      medium: is("The effort `medium`."),
      high: is("The effort `high`."),
      xhigh: maybe("The effort `xhigh`."),
      max: is("The effort `max`.")
    }),
    "Efforts of its reasoning."
  ),
  image_input: is("Pictures."),
  pdf_input: is("PDFs."),
  server_tools: answerField(
    Schema.Struct({ supported: some, code_execution: is("Code execution."), web_search: is("Web search.") }),
    "Tools that its provider runs."
  ),
  structured_outputs: is("Answers by a JSON Schema."),
  thinking: answerField(
    Schema.Struct({
      supported: answerField(Schema.Boolean, "True if it reasons before it answers."),
      types: answerField(
        Schema.Struct({
          adaptive: is("`adaptive`."),
          between_tools: is("`between_tools`."),
          disabled: is("`disabled`."),
          enabled: is("`enabled`, with a budget.")
        }),
        "The types of `thinking` that requests may have."
      )
    }),
    "Its reasoning."
  )
}).annotations({ identifier: "ModelCapabilities" })

const Time = Schema.NullOr(Schema.String)

/** The facts of a model, in Anthropic's members. */
export const AnthropicFacts = {
  max_input_tokens: answerField(Schema.NullOr(Schema.Int), "Its longest input in tokens; null if unknown."),
  max_tokens: answerField(Schema.NullOr(Schema.Int), "Its longest output in tokens; null if unknown."),
  capabilities: answerField(
    Schema.NullOr(Capabilities),
    "What it is known to support: `supported` is false where nothing says that it does. Null if too little is known."
  ),
  lifecycle: answerField(Schema.Literal("active", "deprecated"), "`deprecated` if its retirement is announced."),
  deprecated_at: answerField(Schema.Null, "Always null: no list says when a retirement was announced."),
  retires_at: answerField(Time, "When its provider no longer serves it (RFC 3339); null if that is not announced."),
  line: answerField(
    Schema.NullOr(Schema.Literal("haiku", "sonnet", "opus", "fable", "mythos")),
    "The line of a Claude model; null for others."
  )
} as const

/** The members of a model. */
export const anthropicFacts = ({ facts, routes }: Model) => {
  const window = windowOf(facts)
  const { retires } = facts
  const [first] = routes
  const name = first?.knownAs ?? first?.model ?? ""
  return {
    max_input_tokens: facts.max_input_tokens ?? window ?? null,
    max_tokens: facts.max_output_tokens ?? null,
    capabilities: capabilitiesOf(facts, name),
    lifecycle: retires === undefined ? ("active" as const) : ("deprecated" as const),
    deprecated_at: null,
    retires_at: retires === undefined ? null : `${retires}T00:00:00Z`,
    line: lines.find((line) => name.includes(`claude-${line}-`)) ?? null
  }
}

const lines = ["haiku", "sonnet", "opus", "fable", "mythos"] as const

/** Null unless it is known what the model reads and whether it reasons: the members have no third value. */
const capabilitiesOf = (facts: ModelFacts, name: string): typeof Capabilities.Type | null => {
  const { efforts = [], inputs, structured_output, thinking } = facts
  const version = name.includes("claude-") ? claudeVersion(name) : Number.NaN
  if (inputs === undefined || thinking === undefined) return null
  const effort = (name: ReasoningEffort) => support(efforts.includes(name))
  const none = support(false)
  return {
    batch: none,
    citations: support(!Number.isNaN(version)),
    code_execution: none,
    context_management: {
      supported: false,
      clear_thinking_20251015: null,
      clear_tool_uses_20250919: null,
      compact_20260112: null
    },
    effort: {
      supported: efforts.length > 0,
      low: effort("low"),
      medium: effort("medium"),
      high: effort("high"),
      xhigh: effort("xhigh"),
      max: effort("max")
    },
    image_input: support(inputs.includes("image")),
    pdf_input: support(inputs.includes("file")),
    server_tools: { supported: false, code_execution: none, web_search: none },
    structured_outputs: support(structured_output === true),
    thinking: {
      supported: thinking,
      types: {
        // Translated requests may have either form.
        adaptive: support(thinking && !(version < 4.6)),
        between_tools: none,
        disabled: support(true),
        enabled: support(thinking && !(version >= 4.7))
      }
    }
  }
}

const support = (supported: boolean) => ({ supported })
