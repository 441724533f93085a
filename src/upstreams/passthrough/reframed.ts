import type { Batch } from "../../generation/Generation.ts"
import type { Frame, Framing } from "../framing/Framing.ts"
import type { Reader } from "../generationOf.ts"
import { written } from "./written.ts"

/** Reads a stream in another framing as the server-sent events that the caller's dialect has. */
export const reframed = (reader: Reader, { contentType, parser: begin }: Framing): Reader => {
  const parser = begin()
  const read = (frames: ReadonlyArray<Frame>): Batch =>
    frames.length === 0 ? [] : reader.push(utf8.encode(frames.map(written).join("")))
  return {
    contentType,
    push: (bytes) => read(parser.push(bytes)),
    end: () => [...read(parser.end()), ...reader.end()],
    whole: (text) => reader.whole(text)
  }
}

const utf8 = new TextEncoder()
