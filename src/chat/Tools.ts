import { Schema } from "effect"
import { JsonObject, maybe, required } from "../contract/fields.ts"
import type { Unknown } from "../contract/Unknown.ts"
import { variants } from "../contract/variants.ts"
import { cache_control } from "./Content.ts"

const Name = Schema.String.pipe(Schema.length({ min: 1, max: 128 }, { description: "a name of 1 to 128 characters" }))

/** A function that the model may call, in the current and the legacy form. */
export const FunctionDefinition = Schema.Struct({
  name: required(Name, "The function's name. Required."),
  description: maybe(Schema.String).annotations({ description: "Its purpose and when to use it." }),
  parameters: maybe(JsonObject).annotations({ description: "JSON Schema of its arguments. Default none." }),
  strict: maybe(Schema.Boolean).annotations({ description: "True makes the arguments follow the schema exactly." })
}).annotations({ identifier: "ChatFunction" })
export type FunctionDefinition = typeof FunctionDefinition.Type

const FunctionTool = Schema.Struct({
  type: Schema.Literal("function"),
  function: required(FunctionDefinition, "The function. Required when `type` is `function`."),
  cache_control
}).annotations({ identifier: "ChatFunctionTool" })

const CustomTool = Schema.Struct({
  type: Schema.Literal("custom"),
  custom: required(
    Schema.Struct({
      name: required(Name, "The tool's name. Required."),
      description: maybe(Schema.String).annotations({ description: "Its purpose and when to use it." }),
      format: maybe(
        variants({
          text: Schema.Struct({ type: Schema.Literal("text") }),
          grammar: Schema.Struct({
            type: Schema.Literal("grammar"),
            grammar: required(
              Schema.Struct({
                syntax: required(Schema.Literal("lark", "regex"), "The language of the grammar."),
                definition: required(Schema.String, "The grammar.")
              }),
              "The grammar that the input must match."
            )
          })
        })
      ).annotations({ description: "The format of its input. Default any text." })
    }),
    "The tool. Required when `type` is `custom`."
  ),
  cache_control
}).annotations({ identifier: "ChatCustomTool" })

/** Tools that servers of this dialect run themselves. */
const hostedType = /^(builtin_function|web_search\w{0,32}|retrieval|mcp|openrouter:\w{1,64})$/

const HostedTool = Schema.Struct({
  type: required(
    Schema.String.pipe(Schema.pattern(hostedType)),
    "Only an upstream of this dialect runs it; the gateway calls the tools of `mcp` servers."
  )
}).annotations({ identifier: "ChatHostedTool" })

export const Tool = variants(
  { function: FunctionTool, custom: CustomTool },
  { others: [[hostedType, HostedTool]], open: true }
)
export type Tool = typeof Tool.Type

/** True if only a server of this dialect can run the tool. */
export const isHosted = (tool: Exclude<Tool, Unknown>): boolean => !("function" in tool) && !("custom" in tool)

const named = Schema.Struct({ name: required(Schema.NonEmptyString, "The tool's name.") })

const NamedFunction = Schema.Struct({
  type: Schema.Literal("function"),
  function: required(named, "The function that must be called.")
})

const NamedCustom = Schema.Struct({
  type: Schema.Literal("custom"),
  custom: required(named, "The tool that must be called.")
})

export const ToolChoice = Schema.Union(
  Schema.Literal("none", "auto", "required"),
  variants({
    function: NamedFunction,
    custom: NamedCustom,
    allowed_tools: Schema.Struct({
      type: Schema.Literal("allowed_tools"),
      allowed_tools: required(
        Schema.Struct({
          mode: required(
            Schema.Literal("auto", "required"),
            "`auto` or `required`: the model may or must call one of them."
          ),
          tools: required(
            Schema.Array(variants({ function: NamedFunction, custom: NamedCustom })),
            "The tools to choose from."
          )
        }),
        "The tools to choose from, and if one must be called."
      )
    })
  })
)
export type ToolChoice = typeof ToolChoice.Type

export const FunctionChoice = Schema.Union(Schema.Literal("none", "auto"), named)
