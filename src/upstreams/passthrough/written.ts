import type { JsonObject } from "../../contract/fields.ts"
import { textAt } from "../../contract/json.ts"
import type { SseEvent } from "../framing/sse.ts"

/** A frame as it is sent. `message` means that it has no name. */
export const written = ({ event, data }: SseEvent): string => {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
  return event === "message" ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}

/**
 * The stream for an answer in one piece; undefined if it would be far longer than the answer, because frames repeat
 * shared fields. Usually it is six times as long.
 *
 * @param isNamed true if frames are named after their type
 */
export const writtenFrames = (
  answer: string,
  frames: ReadonlyArray<JsonObject>,
  isNamed: boolean
): string | undefined => {
  const most = 8 * answer.length + mebibyte
  let text = ""
  for (const frame of frames) {
    const event = (isNamed ? textAt(frame, "type") : undefined) ?? "message"
    text += written({ event, data: JSON.stringify(frame) })
    if (text.length > most) return undefined
  }
  return text
}

const mebibyte = 1_048_576
