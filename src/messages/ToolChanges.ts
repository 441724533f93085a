import { Schema } from "effect"
import { required } from "../contract/fields.ts"
import { open } from "../contract/open.ts"
import { variants } from "../contract/variants.ts"
import { cacheControl } from "./cacheControl.ts"
import { Tool } from "./Tools.ts"

const Reference = Schema.Struct({
  type: Schema.Literal("tool_reference"),
  name: required(Schema.NonEmptyString, "Name of a tool of `tools`, or of one defined before.")
}).annotations({ identifier: "MessagesToolChangeReference", description: "A tool by its name." })

const McpReference = Schema.Struct({
  type: Schema.Literal("mcp_tool_reference"),
  server_name: required(Schema.NonEmptyString, "`name` of one of `mcp_servers`."),
  name: required(Schema.NonEmptyString, "The server's name of the tool.")
}).annotations({ identifier: "MessagesToolChangeMcpReference", description: "A tool of a server." })

const McpToolsetReference = Schema.Struct({
  type: Schema.Literal("mcp_toolset_reference"),
  server_name: required(Schema.NonEmptyString, "`name` of one of `mcp_servers`.")
}).annotations({ identifier: "MessagesToolChangeMcpToolsetReference", description: "All tools of a server." })

const references = {
  tool_reference: Reference,
  mcp_tool_reference: McpReference,
  mcp_toolset_reference: McpToolsetReference
} as const

const Definition = Schema.Struct({
  type: Schema.Literal("tool_definition"),
  definition: required(open(Tool), "The tool, as in `tools`.")
}).annotations({ identifier: "MessagesToolChangeDefinition", description: "A tool by value." })

export const ToolAdditionBlock = Schema.Struct({
  type: Schema.Literal("tool_addition"),
  tool: required(open(variants({ ...references, tool_definition: Definition })), "The tool. Required."),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesToolAdditionBlock",
  description: "The model may use this tool from here on; it replaces a tool of the same name."
})

export const ToolRemovalBlock = Schema.Struct({
  type: Schema.Literal("tool_removal"),
  tool: required(open(variants(references)), "The tool. Required."),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesToolRemovalBlock",
  description: "The model may not use this tool from here on."
})
