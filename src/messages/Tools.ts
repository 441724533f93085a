import { Schema } from "effect"
import { integer, JsonObject, maybe, required } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"
import { cacheControl } from "./cacheControl.ts"

const webSearchType = /^web_search(_\d+)?$/
/** The types that `clientTools.ts` has schemas for. */
const clientToolType = /^(bash|text_editor|computer|memory)_\d+$/

const Domains = Schema.Array(Schema.NonEmptyString)

const UserLocation = Schema.Struct({
  type: maybe(Schema.Literal("approximate")).annotations({ description: "Always `approximate`." }),
  city: maybe(Schema.String).annotations({ description: "Free text." }),
  region: maybe(Schema.String).annotations({ description: "Free text." }),
  country: maybe(
    Schema.String.pipe(Schema.pattern(/^[A-Za-z]{2}$/, { description: "a two-letter ISO 3166-1 country code" }))
  ).annotations({ description: "Two-letter ISO 3166-1 country code." }),
  timezone: maybe(Schema.String).annotations({ description: "An IANA time zone id, such as `Europe/Berlin`." })
})

const Name = Schema.String.pipe(Schema.length({ min: 1, max: 128 }, { description: "a name of 1 to 128 characters" }))

const CustomTool = Schema.Struct({
  type: maybe(Schema.Literal("custom")).annotations({ description: "May be left out." }),
  name: required(Name, "The tool's name, unique among the tools. Required."),
  description: maybe(Schema.String).annotations({ description: "Its purpose and when to use it." }),
  input_schema: required(JsonObject, "JSON Schema of its input. Required."),
  strict: maybe(Schema.Boolean).annotations({ description: "True makes the input follow its schema exactly." }),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesCustomTool", description: "A tool of the caller's own." })

const WebSearchTool = Schema.Struct({
  type: required(Schema.String.pipe(Schema.pattern(webSearchType)), "`web_search_20250305`, or a later date."),
  name: maybe(Name).annotations({ description: "Default `web_search`.", default: "web_search" }),
  max_uses: maybe(integer(1, 20)).annotations({
    description: "The most searches of a request, `1` to `20`. Any further one returns the error `max_uses_exceeded`."
  }),
  allowed_domains: maybe(Domains).annotations({
    description:
      "Only results from these domains and their subdomains. Without a scheme; a path is allowed. " +
      "Not together with `blocked_domains`."
  }),
  blocked_domains: maybe(Domains).annotations({
    description: "Never results from these domains. Not together with `allowed_domains`."
  }),
  user_location: maybe(UserLocation).annotations({ description: "The user's approximate location." }),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesWebSearchTool", description: "Web search, run by the gateway or the upstream." })
export type WebSearchTool = typeof WebSearchTool.Type

const ClientTool = Schema.Struct({
  type: required(
    Schema.String.pipe(Schema.pattern(clientToolType)),
    "`bash_*`, `text_editor_*`, `computer_*` or `memory_*`, with a date."
  ),
  name: required(Name, "The tool's name, unique among the tools. Required."),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesClientTool", description: "A tool of the dialect that the caller runs." })

const hostedType = /^(web_fetch|code_execution|tool_search_tool_\w+?|advisor)_\d+$|^mcp_toolset$/

const HostedTool = Schema.Struct({
  type: required(
    Schema.String.pipe(Schema.pattern(hostedType)),
    "`web_fetch_*`, `code_execution_*`, `tool_search_tool_*`, …: only an upstream of this dialect runs them. " +
      "`mcp_toolset`: the tools of one of `mcp_servers`, which the gateway calls where no upstream of the model speaks this dialect."
  ),
  name: maybe(Name).annotations({ description: "The tool's name, if its type has names." }),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesHostedTool", description: "A tool that Anthropic runs." })
/** True if only an upstream of this dialect runs the tool. */
export const isHosted = (tool: { readonly type?: string | null | undefined }): boolean =>
  hostedType.test(tool.type ?? "")

const laterDates: ReadonlyArray<readonly [RegExp, typeof WebSearchTool | typeof ClientTool | typeof HostedTool]> = [
  [webSearchType, WebSearchTool],
  [clientToolType, ClientTool],
  [hostedType, HostedTool]
]

/**
 * One tool. Without a `type` it is the caller's own. Any date in a type is accepted, because new ones keep appearing.
 */
export const Tool = variants(
  {
    custom: CustomTool,
    web_search_20250305: WebSearchTool,
    web_search_20260209: WebSearchTool,
    web_search_20260318: WebSearchTool,
    bash_20250124: ClientTool,
    text_editor_20250728: ClientTool,
    computer_20251124: ClientTool,
    memory_20250818: ClientTool
  },
  {
    absent: "custom",
    others: laterDates,
    open: true
  }
)
export type Tool = typeof Tool.Type

const disable_parallel_tool_use = maybe(Schema.Boolean).annotations({
  description: "True allows at most one tool at a time. Default `false`."
})

export const ToolChoice = variants({
  auto: Schema.Struct({ type: Schema.Literal("auto"), disable_parallel_tool_use }).annotations({
    description: "The model decides."
  }),
  any: Schema.Struct({ type: Schema.Literal("any"), disable_parallel_tool_use }).annotations({
    description: "The model must use one of the tools."
  }),
  tool: Schema.Struct({
    type: Schema.Literal("tool"),
    name: required(Schema.NonEmptyString, "The tool's name. Required when `type` is `tool`."),
    disable_parallel_tool_use
  }).annotations({ description: "The model must use the named tool." }),
  none: Schema.Struct({ type: Schema.Literal("none") }).annotations({ description: "The model must not use a tool." })
})
export type ToolChoice = typeof ToolChoice.Type
