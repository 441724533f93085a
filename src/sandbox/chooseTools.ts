import type { Conversation, CustomTool, FunctionTool, SearchTool, Tool } from "../generation/Conversation.ts"
import type { Question } from "./Question.ts"
import { asksToSearch } from "./search.ts"

export type ClientTool = FunctionTool | CustomTool

export interface Choice {
  /** The caller's tools to call in this turn. */
  readonly calls: ReadonlyArray<ClientTool>
  /** The search tool, used if no caller's tool is called. */
  readonly search: SearchTool | undefined
}

/**
 * Calls a tool if its name shares a word with the user's text or a directive names it; if the tool choice requires one
 * and none fits, the first. Tool results are answered in text, unless the choice requires another call. A directive
 * `none` wins over both.
 */
export const chooseTools = (conversation: Conversation, question: Question): Choice => {
  const { toolChoice, tools, parallelToolCalls } = conversation
  const { directive } = question
  if (toolChoice.type === "none" || tools.length === 0 || directive.tools === "none") return nothing
  const isRequired = toolChoice.type !== "auto"
  const usable = tools.filter(usableBy(toolChoice))
  const clients = usable.filter((tool) => tool.type !== "search")
  const search = usable.find((tool) => tool.type === "search")
  if (question.hasResults && !isRequired) return nothing

  const limit = (calls: ReadonlyArray<ClientTool>): Choice => ({
    calls: parallelToolCalls ? calls : calls.slice(0, 1),
    search: undefined
  })
  const wanted = directive.tools
  const named = wanted.flatMap((name) => clients.filter((tool) => tool.name === name))
  if (named.length > 0) return limit(named)
  if (search !== undefined && wanted.includes(search.name)) return { calls: [], search }

  const words = wordsOf(question.text)
  const fitting = clients.filter((tool) => nameWords(tool.name).some((word) => words.has(word)))
  if (fitting.length > 0) return limit(fitting)
  if (search !== undefined && asksToSearch(question.text)) return { calls: [], search }
  if (!isRequired) return nothing
  const first = usable[0]
  if (first === undefined) return nothing
  return first.type === "search" ? { calls: [], search: first } : limit([first])
}

const nothing: Choice = { calls: [], search: undefined }

const usableBy = (toolChoice: Conversation["toolChoice"]): ((tool: Tool) => boolean) => {
  if (toolChoice.type === "tool") return ({ name }) => name === toolChoice.name
  const names = toolChoice.type === "required" && toolChoice.names !== undefined ? new Set(toolChoice.names) : undefined
  return ({ name }) => names === undefined || names.has(name)
}

/** Words in lower case and singular. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.map(singular)
  )

const singular = (word: string) =>
  word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word

/** The words of `getWeather`, `get_weather` and `get-weather`. Common words count only in a name without others. */
const nameWords = (name: string): ReadonlyArray<string> => {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.map(singular)
  const distinctive = words?.filter((word) => !common.has(word)) ?? []
  return distinctive.length > 0 ? distinctive : (words ?? [])
}

const common = new Set("a an and by do for from get in is it my of on or set the to tool with you your".split(" "))
