import { Schema } from "effect"
import { families as allFamilies, kinds } from "../../src/contract/kinds.ts"
import { quotedPaths } from "../../src/contract/quotedPaths.ts"

/** The families of the playground. */
export const families = [
  "messages",
  "responses",
  "chat",
  "embeddings",
  "images",
  "speech",
  "transcriptions",
  "task",
  "videos"
] as const
export const Family = Schema.Literal(...families)
export type Family = typeof Family.Type
export const isFamily = Schema.is(Family)

/** A dropped file, as base64. */
export const DroppedFile = Schema.Struct({
  name: Schema.String,
  type: Schema.String,
  size: Schema.Number,
  data: Schema.String
})
export type DroppedFile = typeof DroppedFile.Type

export const FunctionTool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  parameters: Schema.Unknown
})
export type FunctionTool = typeof FunctionTool.Type

/** A tool call of the model. */
export const ToolCall = Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.String })
export type ToolCall = typeof ToolCall.Type

/** A part of the conversation that is sent: a text with files, or the results of an answer's tool calls. */
export const Input = Schema.Union(
  Schema.Struct({ role: Schema.Literal("user"), text: Schema.String, files: Schema.Array(DroppedFile) }),
  Schema.Struct({
    role: Schema.Literal("tools"),
    calls: Schema.Array(ToolCall),
    outputs: Schema.Array(Schema.String)
  })
)
export type Input = typeof Input.Type

/** A part of the conversation, in no family's dialect. */
export type Message =
  | Input
  | { readonly role: "assistant"; readonly text: string; readonly calls: ReadonlyArray<ToolCall> }

export interface Draft {
  readonly family: Family
  readonly model: string
  readonly system: string
  /** The whole conversation, the new part last. */
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<FunctionTool>
  readonly hasSearch: boolean
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly image: { readonly size: string }
  readonly speech: { readonly voice: string }
  readonly video: { readonly resolution: string; readonly ratio: string; readonly seconds: number }
}

/** A message task has a message's body. */
const rowOf = (family: Family) => allFamilies[family === "task" ? "messages" : family]

export const pathOf = (family: Family) => rowOf(family).paths[0]

/** The path for quotes; undefined where there are none: a form's cost is that of its file. */
export const quotedPathOf = (family: Family) => quotedPaths.find((path) => path === pathOf(family))

export const isStreamed = (family: Family): boolean => family !== "task" && rowOf(family).answers === "stream"

/** The kind of models that a family asks. */
export const kindOf = (family: Family) => rowOf(family).kind

export const isText = (family: Family): boolean => kinds[kindOf(family)].isTranslated
