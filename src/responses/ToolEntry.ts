import { Schema } from "effect"
import { JsonObject, maybe } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"

const Name = Schema.String.pipe(Schema.minLength(1)).annotations({ description: "a name of at least one character" })

const FunctionEntry = Schema.Struct({
  type: Schema.Literal("function"),
  name: Name,
  description: maybe(Schema.String),
  parameters: maybe(JsonObject).annotations({ description: "JSON Schema of the arguments." }),
  strict: maybe(Schema.Boolean).annotations({ description: "Whether the arguments must follow the schema exactly." })
}).annotations({ identifier: "ResponsesFunctionTool" })

const CustomEntry = Schema.Struct({
  type: Schema.Literal("custom"),
  name: Name,
  description: maybe(Schema.String),
  format: maybe(JsonObject).annotations({ description: "Grammar of the input; accepted and not enforced." })
}).annotations({ identifier: "ResponsesCustomTool" })

const NamespaceEntry = Schema.Struct({
  type: Schema.Literal("namespace"),
  name: Name,
  description: maybe(Schema.String),
  tools: Schema.Array(variants({ function: FunctionEntry, custom: CustomEntry })).annotations({
    description: "Calls of these tools carry the namespace in a field of its own."
  })
}).annotations({ identifier: "ResponsesNamespaceTool" })

const Filters = Schema.Struct({
  allowed_domains: maybe(Schema.Array(Schema.String)).annotations({
    description: "Domains without scheme; each covers its subdomains. All domains are allowed when absent."
  }),
  blocked_domains: maybe(Schema.Array(Schema.String))
}).annotations({ identifier: "ResponsesSearchFilters" })

const Country = Schema.String.pipe(Schema.pattern(/^[A-Za-z]{2}$/)).annotations({
  description: "a two-letter ISO country code"
})

const UserLocation = Schema.Struct({
  type: maybe(Schema.Literal("approximate")).annotations({
    description: "Always `approximate`.",
    default: "approximate"
  }),
  city: maybe(Schema.String),
  region: maybe(Schema.String),
  country: maybe(Country).annotations({ description: "Two-letter ISO country code." }),
  timezone: maybe(Schema.String).annotations({ description: "IANA timezone id." })
}).annotations({ identifier: "ResponsesUserLocation" })

const WebSearchEntry = Schema.Struct({
  type: Schema.TemplateLiteral("web_search", Schema.String).annotations({
    description: "`web_search`, `web_search_2025_08_26` or `web_search_preview`; later dates are taken too."
  }),
  filters: maybe(Filters).annotations({ description: "Search filters." }),
  filter: maybe(Filters).annotations({ description: "Another spelling of `filters`." }),
  search_context_size: maybe(Schema.Literal("low", "medium", "high")).annotations({
    description: "How much of the pages found the model sees.",
    default: "medium"
  }),
  user_location: maybe(UserLocation).annotations({ description: "Approximate location of the user." })
}).annotations({ identifier: "ResponsesWebSearchTool" })

/** Tools that OpenAI runs and the gateway does not have: left out where the model is free to choose. */
const hosted = [
  "file_search",
  "computer",
  "computer_use",
  "computer_use_preview",
  "computer-preview",
  "mcp",
  "code_interpreter",
  "programmatic_tool_calling",
  "image_generation",
  "local_shell",
  "shell",
  "tool_search",
  "apply_patch",
  "web_fetch",
  "x_search"
] as const
const isHosted = new RegExp(`^(${hosted.join("|")})$`)

const HostedEntry = Schema.Struct({
  type: Schema.Literal(...hosted).annotations({
    description: "Not served: ignored where `tool_choice` leaves the choice to the model, refused where it names it."
  })
}).annotations({ identifier: "ResponsesHostedTool" })

const searches = {
  web_search: WebSearchEntry,
  web_search_2025_08_26: WebSearchEntry,
  web_search_preview: WebSearchEntry
}

/** One entry of `tools`. */
export const ToolEntry = variants(
  { function: FunctionEntry, custom: CustomEntry, namespace: NamespaceEntry, ...searches },
  {
    others: [
      [/^web_search_/, WebSearchEntry],
      [isHosted, HostedEntry]
    ]
  }
)
export type ToolEntry = typeof ToolEntry.Type
export type FunctionEntry = typeof FunctionEntry.Type
export type CustomEntry = typeof CustomEntry.Type
export type WebSearchEntry = typeof WebSearchEntry.Type

const ChosenFunction = Schema.Struct({
  type: Schema.Literal("function"),
  name: Name,
  namespace: maybe(Schema.String)
}).annotations({ identifier: "ResponsesChosenFunction" })
const ChosenCustom = Schema.Struct({
  type: Schema.Literal("custom"),
  name: Name,
  namespace: maybe(Schema.String)
}).annotations({ identifier: "ResponsesChosenCustomTool" })
const ChosenSearch = Schema.Struct({ type: Schema.TemplateLiteral("web_search", Schema.String) }).annotations({
  identifier: "ResponsesChosenSearch"
})
const ChosenHosted = Schema.Struct({ type: Schema.Literal(...hosted) }).annotations({
  identifier: "ResponsesChosenHostedTool"
})

const AllowedTools = Schema.Struct({
  type: Schema.Literal("allowed_tools"),
  mode: Schema.Literal("auto", "required"),
  tools: Schema.Array(
    Schema.Struct({ type: Schema.String, name: maybe(Schema.String), namespace: maybe(Schema.String) })
  )
}).annotations({ identifier: "ResponsesAllowedTools" })

export const ToolChoiceMode = Schema.Literal("none", "auto", "required")

/** An object form of `tool_choice`. */
export const ChosenTool = variants(
  {
    function: ChosenFunction,
    custom: ChosenCustom,
    allowed_tools: AllowedTools,
    web_search: ChosenSearch,
    web_search_preview: ChosenSearch
  },
  {
    others: [
      [/^web_search_/, ChosenSearch],
      [isHosted, ChosenHosted]
    ]
  }
)
export type ChosenTool = typeof ChosenTool.Type
