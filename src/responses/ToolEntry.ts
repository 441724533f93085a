import { Schema } from "effect"
import { JsonObject, maybe, required } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"
import { isHostedPlace } from "../generation/hostedTools.ts"
import { clientEntries, ClientToolType } from "./clientTools/ClientEntry.ts"

const Name = Schema.String.pipe(Schema.minLength(1)).annotations({ description: "a name of at least one character" })

const description = maybe(Schema.String).annotations({ description: "Its purpose and when to use it." })
const namespace = maybe(Schema.String).annotations({ description: "Namespace of the tool, if it has one." })

const FunctionEntry = Schema.Struct({
  type: Schema.Literal("function"),
  name: Name,
  description,
  parameters: maybe(JsonObject).annotations({ description: "JSON Schema of the arguments." }),
  strict: maybe(Schema.Boolean).annotations({ description: "True makes the arguments follow the schema exactly." })
}).annotations({ identifier: "ResponsesFunctionTool" })

const CustomEntry = Schema.Struct({
  type: Schema.Literal("custom"),
  name: Name,
  description,
  format: maybe(JsonObject).annotations({
    description:
      "A grammar the input must match: `{type: grammar, syntax, definition}`. Upstreams that can't enforce it describe it to the model."
  })
}).annotations({ identifier: "ResponsesCustomTool" })

const NamespaceEntry = Schema.Struct({
  type: Schema.Literal("namespace"),
  name: Name,
  description,
  tools: Schema.Array(variants({ function: FunctionEntry, custom: CustomEntry })).annotations({
    description: "Calls of these tools carry the namespace in a field of its own."
  })
}).annotations({ identifier: "ResponsesNamespaceTool" })

const Filters = Schema.Struct({
  allowed_domains: maybe(Schema.Array(Schema.String)).annotations({
    description: "Domains without scheme; each covers its subdomains. All domains are allowed when absent."
  }),
  blocked_domains: maybe(Schema.Array(Schema.String)).annotations({
    description: "Domains without scheme; each covers its subdomains. Not together with `allowed_domains`."
  })
}).annotations({ identifier: "ResponsesSearchFilters" })

const Country = Schema.String.pipe(Schema.pattern(/^[A-Za-z]{2}$/)).annotations({
  description: "a two-letter ISO country code"
})

const UserLocation = Schema.Struct({
  type: maybe(Schema.Literal("approximate")).annotations({
    description: "Always `approximate`.",
    default: "approximate"
  }),
  city: maybe(Schema.String).annotations({ description: "Free text." }),
  region: maybe(Schema.String).annotations({ description: "Free text." }),
  country: maybe(Country).annotations({ description: "Two-letter ISO country code." }),
  timezone: maybe(Schema.String).annotations({ description: "IANA timezone id." })
}).annotations({ identifier: "ResponsesUserLocation" })

const WebSearchEntry = Schema.Struct({
  type: Schema.TemplateLiteral("web_search", Schema.String).annotations({
    description: "`web_search`, `web_search_2025_08_26` or `web_search_preview`; later dates are accepted."
  }),
  filters: maybe(Filters).annotations({ description: "Search filters." }),
  filter: maybe(Filters).annotations({ description: "Another spelling of `filters`." }),
  search_context_size: maybe(Schema.Literal("low", "medium", "high")).annotations({
    description: "How much of the pages found the model sees.",
    default: "medium"
  }),
  user_location: maybe(UserLocation).annotations({ description: "Approximate location of the user." })
}).annotations({ identifier: "ResponsesWebSearchTool" })

const ToolSearchEntry = Schema.Struct({
  type: Schema.Literal("tool_search"),
  execution: maybe(Schema.String).annotations({
    description:
      "`client`: the caller searches, and answers a `tool_search_call` with a `tool_search_output`. Otherwise the search " +
      "is left to the upstream; one of another dialect is shown every tool at once."
  }),
  description,
  parameters: maybe(JsonObject).annotations({ description: "JSON Schema of the query." })
}).annotations({ identifier: "ResponsesToolSearchTool" })

/** Tools that OpenAI runs and the gateway lacks. They are dropped if the model has a choice. */
const lacking = [
  "file_search",
  "code_interpreter",
  "programmatic_tool_calling",
  "image_generation",
  "tool_search",
  "web_fetch",
  "x_search"
] as const
const hosted = [...lacking, "mcp"] as const
const isHosted = new RegExp(`^(${hosted.join("|")})$`)

/** True if OpenAI runs the tool and the gateway lacks it. */
export const isHostedTool = (entry: ToolEntry): boolean =>
  entry.type === "shell"
    ? "environment" in entry && isHostedPlace(entry.environment)
    : isHosted.test(entry.type) && !isToolSearchEntry(entry)

/** True if the caller runs the search for tools. */
export const isToolSearchEntry = (entry: ToolEntry): entry is ToolSearchEntry =>
  entry.type === "tool_search" && "execution" in entry && entry.execution === "client"

const isClient = new RegExp(`^(${Object.keys(clientEntries).join("|")})$`)

const HostedEntry = Schema.Struct({
  type: Schema.Literal(...hosted).annotations({
    description:
      "Servers of `mcp` are called by the gateway, unless an upstream of the model calls them. The others are not " +
      "served: ignored if `tool_choice` leaves the choice to the model, refused if it names this tool."
  })
}).annotations({ identifier: "ResponsesHostedTool" })

const searches = {
  web_search: WebSearchEntry,
  web_search_2025_08_26: WebSearchEntry,
  web_search_preview: WebSearchEntry
}

/** One entry of `tools`. */
export const ToolEntry = variants(
  {
    function: FunctionEntry,
    custom: CustomEntry,
    namespace: NamespaceEntry,
    tool_search: ToolSearchEntry,
    ...clientEntries,
    ...searches
  },
  {
    others: [
      [/^web_search_/, WebSearchEntry],
      [isHosted, HostedEntry]
    ],
    open: true
  }
)
export type ToolEntry = typeof ToolEntry.Type
export type FunctionEntry = typeof FunctionEntry.Type
export type CustomEntry = typeof CustomEntry.Type
export type ToolSearchEntry = typeof ToolSearchEntry.Type
export type WebSearchEntry = typeof WebSearchEntry.Type

export const isSearchEntry = (entry: ToolEntry): entry is WebSearchEntry => entry.type.startsWith("web_search")

const ChosenFunction = Schema.Struct({
  type: Schema.Literal("function"),
  name: Name,
  namespace
}).annotations({ identifier: "ResponsesChosenFunction" })
const ChosenCustom = Schema.Struct({
  type: Schema.Literal("custom"),
  name: Name,
  namespace
}).annotations({ identifier: "ResponsesChosenCustomTool" })
const ChosenSearch = Schema.Struct({
  type: required(Schema.TemplateLiteral("web_search", Schema.String), "Any type of a web search tool.")
}).annotations({
  identifier: "ResponsesChosenSearch"
})
const ChosenHosted = Schema.Struct({
  type: required(Schema.Literal(...lacking), "Not served: 400.")
}).annotations({
  identifier: "ResponsesChosenHostedTool"
})

const ChosenServer = Schema.Struct({
  type: Schema.Literal("mcp"),
  server_label: required(Schema.String, "The label of a server in `tools`."),
  name: maybe(Schema.String).annotations({ description: "The server's name of a tool; any of its tools if absent." })
}).annotations({ identifier: "ResponsesChosenServer" })

const ChosenClientTool = Schema.Struct({
  type: required(ClientToolType, "A tool that the caller runs.")
}).annotations({
  identifier: "ResponsesChosenClientTool"
})

const AllowedTools = Schema.Struct({
  type: Schema.Literal("allowed_tools"),
  mode: required(Schema.Literal("auto", "required"), "`auto` or `required`: the model may or must call one of them."),
  tools: required(
    Schema.Array(
      Schema.Struct({
        type: required(Schema.String, "The tool's type."),
        name: maybe(Schema.String).annotations({ description: "The tool's name, if its type has names." }),
        namespace,
        server_label: maybe(Schema.String).annotations({ description: "The label of a server, for type `mcp`." })
      })
    ),
    "The tools to choose from; each must be among `tools`."
  )
}).annotations({ identifier: "ResponsesAllowedTools" })

export const ToolChoiceMode = Schema.Literal("none", "auto", "required")

/** An object form of `tool_choice`. */
export const ChosenTool = variants(
  {
    function: ChosenFunction,
    custom: ChosenCustom,
    mcp: ChosenServer,
    allowed_tools: AllowedTools,
    web_search: ChosenSearch,
    web_search_preview: ChosenSearch
  },
  {
    others: [
      [/^web_search_/, ChosenSearch],
      [isClient, ChosenClientTool],
      [isHosted, ChosenHosted]
    ]
  }
)
export type ChosenTool = typeof ChosenTool.Type
