import type { JsonObject } from "../../contract/fields.ts"
import { textAt } from "../../contract/json/json.ts"
import type { SseEvent } from "../framing/sse.ts"

/** A frame as it is sent. `message` means that it has no name. */
export const writeEvent = ({ event, data }: SseEvent): string => {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
  return event === "message" ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}

/**
 * The stream for an answer in one piece, in parts of whole frames; undefined if it would be far longer than the answer,
 * because frames repeat shared fields. Usually it is six times as long. It yields between two parts.
 *
 * @param length the answer's, in characters
 * @param isNamed true if frames are named after their type
 */
export function* writtenFrames(
  length: number,
  frames: ReadonlyArray<JsonObject>,
  isNamed: boolean
): Generator<readonly [], ReadonlyArray<string> | undefined> {
  const most = 8 * length + mebibyte
  const parts: Array<string> = []
  let total = 0
  let part = ""
  for (const frame of frames) {
    const event = (isNamed ? textAt(frame, "type") : undefined) ?? "message"
    part += writeEvent({ event, data: JSON.stringify(frame) })
    if (total + part.length > most) return undefined
    if (part.length < partLength) continue
    total += part.length
    parts.push(part)
    part = ""
    yield nothing
  }
  if (part !== "") parts.push(part)
  return parts
}

const mebibyte = 1_048_576
/** In characters. */
const partLength = 65_536
const nothing = [] as const
