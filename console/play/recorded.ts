import type { FunctionTool } from "./draft.ts"

/** The parts of a recorded body that fill the form. */
export interface Recorded {
  readonly user: string | undefined
  readonly system: string | undefined
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly tools: ReadonlyArray<FunctionTool>
  /** For videos. */
  readonly resolution: string | undefined
  readonly ratio: string | undefined
  readonly seconds: number | undefined
  /** For images and speech. */
  readonly size: string | undefined
  readonly voice: string | undefined
  /** True if the form can't show all of it: files, earlier turns. */
  readonly isPart: boolean
}

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** The text of a message's content, in any dialect; other parts are left out. */
const contentText = (content: unknown): string | undefined => {
  if (typeof content === "string") return content
  const texts = listOf(content).flatMap((part) => (isRecord(part) ? (textOf(part["text"]) ?? []) : []))
  return texts.length === 0 ? undefined : texts.join("\n")
}

const toolOf = (tool: unknown): ReadonlyArray<FunctionTool> => {
  if (!isRecord(tool)) return []
  const said = isRecord(tool["function"]) ? tool["function"] : tool
  const name = textOf(said["name"])
  const parameters = said["input_schema"] ?? said["parameters"]
  if (name === undefined || !isRecord(parameters)) return []
  return [{ name, description: textOf(said["description"]) ?? "", parameters }]
}

/**
 * Reads a recorded body into the playground's form: the last question without earlier turns.
 *
 * @param text a create body of any family; returns undefined if it is not valid (cut off, redacted)
 */
export const recordedIn = (text: string): Recorded | undefined => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(body)) return undefined
  const asked = body["messages"] ?? body["input"] ?? body["prompt"] ?? body["content"]
  const turns = listOf(asked).filter(isRecord)
  const isTurns = turns.some((turn) => "role" in turn && "content" in turn)
  const last = turns.findLast((turn) => turn["role"] === "user")
  const system = turns.find((turn) => turn["role"] === "system" || turn["role"] === "developer")
  const others = turns.filter((turn) => turn !== last && turn !== system).length
  const parts = listOf(isTurns ? last?.["content"] : asked)
  return {
    user: isTurns ? contentText(last?.["content"]) : contentText(asked),
    system: contentText(body["system"] ?? body["instructions"] ?? system?.["content"]),
    maxTokens: numberOf(body["max_tokens"] ?? body["max_output_tokens"] ?? body["max_completion_tokens"]),
    temperature: numberOf(body["temperature"]),
    tools: listOf(body["tools"]).flatMap(toolOf),
    resolution: textOf(body["resolution"]),
    ratio: textOf(body["ratio"]),
    seconds: numberOf(body["duration"]),
    size: textOf(body["size"]),
    voice: textOf(body["voice"]),
    isPart: (isTurns && others > 0) || parts.some((part) => isRecord(part) && textOf(part["text"]) === undefined)
  }
}
