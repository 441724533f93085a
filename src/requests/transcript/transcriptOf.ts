import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { listOf, objectOf, textOf } from "./parts.ts"
import { partialJson } from "./partialJson.ts"
import { wholeOf } from "./streamed.ts"
import type { Transcript } from "./Transcript.ts"
import { answerTurns, askedTurns } from "./turns.ts"

/**
 * Recorded bodies as a conversation: of any family, whole and streamed, and as far as they were kept. Undefined if neither
 * has a turn, an error or a tool.
 *
 * @param answer JSON, or the text of an event stream
 */
export const transcriptOf = (request: string, answer: string): Transcript | undefined => {
  const asked = objectOf(partialJson(request))
  const whole = partialJson(answer)
  const answered = isJsonObject(whole) ? whole : wholeOf(answer)
  const transcript = {
    turns: [...askedTurns(asked), ...answerTurns(answered)],
    tools: listOf(asked["tools"]).flatMap(toolName),
    error: errorOf(answered)
  }
  const { error, tools, turns } = transcript
  return turns.length === 0 && tools.length === 0 && error === undefined ? undefined : transcript
}

/** The name of a tool, or the type of one that upstreams run. */
const toolName = (tool: unknown): ReadonlyArray<string> => {
  const { function: called, name, type } = objectOf(tool)
  const found = textOf(name) ?? textOf(objectOf(called)["name"]) ?? textOf(type)
  return found === undefined ? [] : [found]
}

const errorOf = ({ error }: JsonObject): string | undefined =>
  typeof error === "string" ? error : textOf(objectOf(error)["message"])
