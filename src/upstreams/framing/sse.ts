import { BrokenFrame, Silence } from "./Framing.ts"
import type { Frame, FrameParser, Framing } from "./Framing.ts"

/** One server-sent event, called `message` if the upstream gave no name. The gateway ignores ids and retry hints. */
export type SseEvent = Frame

/** An event exceeds the limit. */
export class SseOverflow extends BrokenFrame {}

/** The largest event held, in UTF-16 units. The largest real ones are whole answers with an image. */
export const eventLimit = 32 * 1024 * 1024

const none: ReadonlyArray<SseEvent> = []

/** Server-sent events, which most protocols stream. */
export const serverSentEvents: Framing = { contentType: "text/event-stream", parser: () => sseParser() }

/**
 * An incremental parser of the HTML standard's event streams: CRLF, LF and CR lines, multi-line data, comments and a
 * byte order mark. Bare JSON is an event as well. A line that arrives in pieces is joined once.
 */
export const sseParser = (limit: number = eventLimit): FrameParser => {
  // The decoder keeps split characters between chunks and drops the byte order mark.
  const decoder = new TextDecoder()
  // The parser of whole frames is shared by all streams.
  const silence = limit === Infinity ? new Silence(limit) : new Silence()
  let pieces: Array<string> = []
  /** The pieces at the end that are not joined yet. */
  let loose = 0
  let held = 0
  let afterCr = false
  let event = ""
  let data: string | undefined
  let isBare = false

  const hold = (length: number) => {
    held += length
    if (held > limit) throw new SseOverflow(`an event exceeds ${limit} characters`)
  }

  /** Keeps the beginning of a line. */
  const keep = (piece: string) => {
    hold(piece.length)
    pieces.push(piece)
    if (++loose < mostLoose) return
    pieces.push(pieces.splice(-mostLoose).join(""))
    loose = 0
  }

  /** Data with one more line. Millions of them would take far more memory than their text. */
  const further = (data: string, line: string) => {
    hold(furtherLine)
    return `${data}\n${line}`
  }

  const endLine = (tail: string, events: Array<SseEvent>) => {
    let line = tail
    if (pieces.length > 0) {
      pieces.push(tail)
      line = pieces.join("")
      pieces = []
      loose = 0
    }
    if (line === "") {
      if (data === undefined) silence.add(event.length + nameLine)
      else events.push({ event: event === "" ? "message" : event, data })
      event = ""
      data = undefined
      isBare = false
      held = 0
      return
    }
    hold(tail.length)
    // The common case first: one line of data.
    if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === space ? 6 : 5)
      data = data === undefined ? value : further(data, value)
    } else if (line.startsWith("event:")) {
      if (event !== "") silence.add(event.length + nameLine)
      event = line.slice(line.charCodeAt(6) === space ? 7 : 6)
    } else if (line === "data") {
      data = data === undefined ? "" : further(data, "")
    } else if (isBare || (data === undefined && line.startsWith("{"))) {
      // Gemini ends a broken stream with an error in bare JSON, on several lines.
      data = isBare && data !== undefined ? further(data, line) : line
      isBare = true
    } else {
      silence.add(line.length + 1)
    }
    // Comments between events don't count towards the limit of an event: heartbeats may go on for hours.
    if (data === undefined) held = 0
  }

  const take = (text: string): ReadonlyArray<SseEvent> => {
    let start = 0
    if (afterCr && text !== "") {
      afterCr = false
      if (text.charCodeAt(0) === lineFeed) start = 1
    }
    let lf = text.indexOf("\n", start)
    let cr = text.indexOf("\r", start)
    if (lf === -1 && cr === -1) {
      if (start < text.length) keep(text.slice(start))
      return none
    }
    const events: Array<SseEvent> = []
    if (cr === -1 && pieces.length === 0 && event === "" && data === undefined) {
      start = takePlain(text, start, limit, events)
      lf = text.indexOf("\n", start)
    }
    while (lf !== -1 || cr !== -1) {
      const isCr = cr !== -1 && (lf === -1 || cr < lf)
      const at = isCr ? cr : lf
      endLine(text.slice(start, at), events)
      start = at + 1
      if (isCr && start === text.length) afterCr = true
      if (isCr && lf === start) start++
      if (lf !== -1 && lf < start) lf = text.indexOf("\n", start)
      if (cr !== -1 && cr < start) cr = text.indexOf("\r", start)
    }
    if (start < text.length) keep(text.slice(start))
    return events
  }

  return {
    push: (bytes) => take(decoder.decode(bytes, { stream: true })),
    end: () => {
      const events: Array<SseEvent> = []
      events.push(...take(decoder.decode()))
      endLine("", events)
      if (data !== undefined) endLine("", events)
      event = ""
      afterCr = false
      return events
    }
  }
}

const mostLoose = 1_024
/** The length of a line with a name, without the name. */
const nameLine = 7
/** Counted for each line after the first of an event's data, in UTF-16 units. */
const furtherLine = 256
const space = 32
const lineFeed = 10

/** Reads events in their usual form: one line of data and a blank line. Returns the offset after them. */
const takePlain = (text: string, from: number, limit: number, events: Array<SseEvent>): number => {
  let start = from
  while (text.startsWith("data: ", start)) {
    const end = text.indexOf("\n", start)
    if (end === -1 || text.charCodeAt(end + 1) !== lineFeed || end - start > limit) break
    events.push({ event: "message", data: text.slice(start + 6, end) })
    start = end + 2
  }
  return start
}

/** The events in the bytes of a whole stream or a part of one. The last may lack its closing blank line. */
export const sseEvents = (bytes: Uint8Array): ReadonlyArray<SseEvent> => {
  const events = whole.push(bytes)
  const last = whole.end()
  return last.length === 0 ? events : [...events, ...last]
}

/** `end` resets it. */
const whole = sseParser(Infinity)
