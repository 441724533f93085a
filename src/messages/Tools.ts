import { Schema } from "effect"
import { JsonObject, maybe } from "../contract/fields.ts"
import { cacheControl } from "./Blocks.ts"

const Domains = Schema.Array(Schema.NonEmptyString)

const UserLocation = Schema.Struct({
  type: maybe(Schema.Literal("approximate")).annotations({ description: "Always `approximate`." }),
  city: maybe(Schema.String),
  region: maybe(Schema.String),
  country: maybe(
    Schema.String.pipe(Schema.pattern(/^[A-Za-z]{2}$/, { description: "a two-letter ISO 3166-1 country code" }))
  ),
  timezone: maybe(Schema.String).annotations({ description: "An IANA time zone id, such as `Europe/Berlin`." })
})

/**
 * Any tool: the caller's own (no `type`, or `custom`), web search, or one of the dialect's client-run tools. One shape
 * for all, since most come without a `type` and the dates in the others' keep coming; `rules.ts` says what each needs.
 */
export const Tool = Schema.Struct({
  type: maybe(Schema.String).annotations({
    description:
      "Absent or `custom`: a tool of the caller's own. `web_search_20250305` (or a later date): web search. " +
      "`bash_*`, `text_editor_*`, `computer_*`, `memory_*`: tools that the caller runs."
  }),
  name: maybe(Schema.NonEmptyString.pipe(Schema.maxLength(128))).annotations({
    description: "Required, but for web search, whose default is `web_search`. Unique among the tools."
  }),
  description: maybe(Schema.String),
  input_schema: maybe(JsonObject).annotations({
    description: "JSON Schema of the tool's input. Required for a tool of the caller's own."
  }),
  strict: maybe(Schema.Boolean).annotations({ description: "Whether the input must follow its schema exactly." }),
  max_uses: maybe(Schema.Int.pipe(Schema.between(1, 20))).annotations({
    description:
      "Web search: most searches of a request, `1` to `20`. A further one answers the error `max_uses_exceeded`."
  }),
  allowed_domains: maybe(Domains).annotations({
    description:
      "Web search: only results from these domains and their subdomains; no scheme, a path is allowed. " +
      "Not together with `blocked_domains`."
  }),
  blocked_domains: maybe(Domains).annotations({
    description: "Web search: never results from these domains. Not together with `allowed_domains`."
  }),
  user_location: maybe(UserLocation).annotations({ description: "Web search: roughly where the user is." }),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesTool" })
export type Tool = typeof Tool.Type

const disable_parallel_tool_use = maybe(Schema.Boolean).annotations({
  description: "Whether at most one tool may be used at a time. Default `false`."
})

export const ToolChoice = Schema.Union(
  Schema.Struct({ type: Schema.Literal("auto"), disable_parallel_tool_use }).annotations({
    description: "The model decides."
  }),
  Schema.Struct({ type: Schema.Literal("any"), disable_parallel_tool_use }).annotations({
    description: "The model must use one of the tools."
  }),
  Schema.Struct({
    type: Schema.Literal("tool"),
    name: Schema.NonEmptyString.annotations({ description: "The tool's name. Required when `type` is `tool`." }),
    disable_parallel_tool_use
  }).annotations({ description: "The model must use the named tool." }),
  Schema.Struct({ type: Schema.Literal("none") }).annotations({ description: "The model must not use a tool." })
)
export type ToolChoice = typeof ToolChoice.Type
