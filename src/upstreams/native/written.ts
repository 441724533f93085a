import type { JsonObject } from "../../contract/fields.ts"
import { textAt } from "../../contract/json.ts"
import type { SseEvent } from "../framing/sse.ts"

/** A frame as it goes over the wire; `message` is one without a name. */
export const written = ({ event, data }: SseEvent): string => {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
  return event === "message" ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}

/** Frames that are named after their type. */
export const writtenFrames = (frames: ReadonlyArray<JsonObject>): string =>
  frames.map((frame) => written({ event: textAt(frame, "type") ?? "message", data: JSON.stringify(frame) })).join("")
