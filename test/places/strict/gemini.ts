import { list } from "./rule.ts"
import type { Any, Ask } from "./rule.ts"

export const geminiDocs = "https://ai.google.dev/gemini-api/docs"

export const generation = (model: string): number => Number(/gemini-(\d(?:\.\d)?)/.exec(model)?.[1] ?? 9)

export const partsOf = (ask: Ask): ReadonlyArray<Any> => list(ask.body.contents).flatMap(({ parts }) => list(parts))

export const config = (ask: Ask): Any => ask.body.generationConfig ?? ask.body.generation_config ?? {}

export const declared = (ask: Ask): ReadonlyArray<Any> =>
  list(ask.body.tools).flatMap((tool) => list(tool.functionDeclarations ?? tool.function_declarations))
