import data from "./data.json"
import { list } from "./rule.ts"
import type { Any, Ask } from "./rule.ts"

export const converseDocs = "https://docs.aws.amazon.com/bedrock/latest/APIReference"

export type Model = {
  system?: boolean
  tools?: boolean
  streamedTools?: boolean
  vision?: boolean
  documents?: boolean
  cache?: string
  force?: string
  imagesInResults?: boolean
}

export const modelOf = (ask: Ask): Model =>
  (data.converse.find(([part]) => ask.model.includes(part as string))?.[1] ?? {}) as Model

export const contentOf = (turn: Any): ReadonlyArray<Any> => list(turn?.content)

export const hasTools = (ask: Ask): boolean => list(ask.body.toolConfig?.tools).length > 0

export const everyBlock = (ask: Ask): ReadonlyArray<Any> => list(ask.body.messages).flatMap(contentOf)
