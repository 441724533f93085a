import type { Batch } from "../../generation/Generation.ts"
import type { Frame, Framing } from "../framing/Framing.ts"
import type { Reader } from "../text/generationOf.ts"
import { writeEvent } from "./writeEvent.ts"

/** Reads a stream in another framing as the server-sent events that the caller's dialect has. */
export const reframe = (reader: Reader, { contentType, parser: begin }: Framing): Reader => {
  const parser = begin()
  const read = (frames: ReadonlyArray<Frame>): Batch =>
    frames.length === 0 ? [] : reader.push(utf8.encode(frames.map(writeEvent).join("")))
  return {
    contentType,
    push: (bytes) => read(parser.push(bytes)),
    end: () => [...read(parser.end()), ...reader.end()],
    whole: (text) => reader.whole(text)
  }
}

const utf8 = new TextEncoder()
