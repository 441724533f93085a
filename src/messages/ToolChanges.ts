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

const Definition = Schema.Struct({
  type: Schema.Literal("tool_definition"),
  definition: required(open(Tool), "The tool, as in `tools`.")
}).annotations({ identifier: "MessagesToolChangeDefinition", description: "A tool by value." })

export const ToolAdditionBlock = Schema.Struct({
  type: Schema.Literal("tool_addition"),
  tool: required(open(variants({ tool_reference: Reference, tool_definition: Definition })), "The tool. Required."),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesToolAdditionBlock",
  description: "The model may use this tool from here on; it replaces a tool of the same name."
})

export const ToolRemovalBlock = Schema.Struct({
  type: Schema.Literal("tool_removal"),
  tool: required(open(variants({ tool_reference: Reference })), "The tool. Required."),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesToolRemovalBlock",
  description: "The model may not use this tool from here on."
})
