import type { CallIds } from "../callIds.ts"
import type { CarriedField } from "../../../generation/Conversation.ts"
import type { EndUserField } from "../endUser.ts"
import type { Effort } from "../reasoning.ts"
import type { ThinkTags } from "./think.ts"
import type { SchemaRules } from "../schemas.ts"

/**
 * A server's deviations from the chat-completions dialect. Its addresses, variable and other names are in
 * `src/config/providers/`.
 */
export interface Provider {
  readonly maxTokens: "max_tokens" | "max_completion_tokens"
  /** True if a caller's other name of that bound may pass through. */
  readonly takesBothBounds: boolean
  readonly systemRole: "system" | "developer"
  /** True if system messages may stand between others; many chat templates refuse that. */
  readonly systemAnywhere: boolean
  readonly topK: boolean
  /** True if the server understands `stream_options.include_usage`. */
  readonly streamUsage: boolean
  readonly strictTools: boolean
  readonly schemas: SchemaRules
  /** `all`: words and a named tool; `words`: auto, none, required; `none`: always auto. */
  readonly toolChoice: "all" | "words" | "none"
  readonly parallelToolCalls: boolean
  /** True if a tool may be forced while the model thinks. */
  readonly forcesWhileThinking: boolean
  /** Fields of the dialect that it answers 4xx to. */
  readonly refuses: ReadonlySet<string>
  /** Its own name of the seed. */
  readonly seed: string
  /** The optional fields of a conversation that it has. */
  readonly carries: ReadonlySet<CarriedField>
  readonly format: "schema" | "object" | "none"
  /** True if the answer may have a format beside tools. */
  readonly formatsBesideTools: boolean
  /** True if it refuses efforts that are not in `reasoning`. */
  readonly knowsEfforts: boolean
  /** True if a model thinks unless told otherwise, and refuses forced tools and calls without their reasoning then. */
  readonly thinksByDefault: boolean
  /** True at OpenAI's own address: what is refused there is the caller's to read. */
  readonly isOwn: boolean
  /** Fields of messages that it answers 4xx to. */
  readonly refusesInMessages: ReadonlySet<string>
  /** Names the types of images that it takes; absent if it takes all, `none` if it takes texts alone. */
  readonly images: RegExp | "none" | undefined
  /** True if it takes images as bytes alone: their addresses are refused. */
  readonly bytesAlone: boolean
  /** True if it refuses empty turns of the assistant, and a last one that isn't marked as begun. */
  readonly strictTurns: boolean
  /** True if system text may stand in front alone, also in a caller's own request: chat templates check it. */
  readonly systemFirst: boolean
  /** True if turns alternate, which some chat templates check. */
  readonly alternates: boolean
  /** True if a request may need a change to fit: derived from the other members at load. */
  readonly hasRules: boolean
  /** Deviations of some of its models, by their names. The first match counts. */
  readonly models: ReadonlyArray<readonly [RegExp, Partial<Provider>]>
  readonly reasoning: ReasoningControl
  /** True if it serves OpenAI's own models as OpenAI does, so that what they take depends on the model (`ofModel.ts`). */
  readonly servesOpenAi: boolean
  /** When `temperature` and `top_p` may be set: some models refuse them while they reason, and some reason by default. */
  readonly samples: "always" | "unless reasoning" | "if told not to reason"
  /** How functions are offered: beside any effort, with none or without one, or with `none` written out. */
  readonly functions: "any effort" | "no effort" | "none"
  readonly thinkTags: ThinkTags
  /** The fields that return reasoning inside a tool loop; none if it must not be returned. */
  readonly replayReasoning: ReadonlyArray<"reasoning_content" | "reasoning">
  /** True if `file` parts may hold PDFs. Where that is unknown, a caller's own pass, and others become text. */
  readonly documents: boolean | "unknown"
  /** The most stop sequences that it accepts. The gateway searches for the others itself. */
  readonly maxStops: number
  readonly endUser: EndUserField | undefined
  readonly cacheKey: boolean
  /** True if it searches the web for requests with `web_search_options`. */
  readonly webSearch: boolean
  readonly callIds: CallIds
  /** Names the models that it serves at `/completions`, as far as names tell; absent if it has none. */
  readonly completions: RegExp | undefined
  /** True if a user message may directly follow a tool's result. */
  readonly userAfterTool: boolean
  /** The field that must come back with a tool call: `extra_content.google`, or the reasoning in front of it. */
  readonly signsCalls: "thought_signature" | "reasoning_details" | undefined
}

/** The form in which reasoning is requested. */
export type ReasoningControl =
  /** `reasoning_effort`, one of these. */
  | { readonly by: "effort"; readonly efforts: ReadonlyArray<Effort> }
  /** `thinking: {type: enabled | disabled}`. */
  | { readonly by: "thinking" }
  /** `enable_thinking` and `thinking_budget`. */
  | { readonly by: "enable_thinking" }
  /** `chat_template_kwargs` for templates with a switch, `reasoning_effort` for those with degrees. */
  | { readonly by: "template"; readonly efforts: ReadonlyArray<Effort> }
  /** `reasoning: {effort | max_tokens | enabled}`. */
  | { readonly by: "object"; readonly efforts: ReadonlyArray<Effort> }
  | { readonly by: "nothing" }
