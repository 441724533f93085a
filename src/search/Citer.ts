import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import type { Sources } from "./Sources.ts"

/** One or more numbers in double brackets, with the blanks before them. */
const marker = / {0,4}\[\[(\d{1,3}(?:, ?\d{1,3}){0,9})\]\]/g
/** The end of a text that may become a marker. */
const partialMarker = / {0,4}(?:\[(?:\[(?:\d[\d, ]{0,24}\]?)?)?)?$/
/** The most characters in which the start of a statement is searched. */
const longestStatement = 2_000

/**
 * Turns a model's markers (`[[1]]`) into citations while the text streams. A marker is removed from the text; it cites
 * the statement before it, back to the start of the sentence.
 */
export class Citer {
  private readonly sources: Sources
  private pending = ""
  /** Characters emitted so far. */
  private length = 0
  /** The last of them, up to the length of a statement. */
  private tail = ""

  constructor(sources: Sources) {
    this.sources = sources
  }

  /** Adds a piece of text. Returns the events for it. */
  write(piece: string): ReadonlyArray<GenerationEvent> {
    if (this.sources.isEmpty) {
      this.remember(piece)
      return [{ type: "text-delta", text: piece }]
    }
    this.pending += piece
    const open = partialMarker.exec(this.pending)?.index ?? this.pending.length
    const ready = this.pending.slice(0, open)
    this.pending = this.pending.slice(open)
    return this.pass(ready)
  }

  /** Ends the text and emits what was held back. Offsets of the next text start at 0. */
  end(): ReadonlyArray<GenerationEvent> {
    const events = this.pass(this.pending)
    this.pending = ""
    this.length = 0
    this.tail = ""
    return events
  }

  private pass(ready: string): ReadonlyArray<GenerationEvent> {
    const events: Array<GenerationEvent> = []
    let from = 0
    for (const match of ready.matchAll(marker)) {
      const cited = this.citationsOf(match[1] ?? "", ready.slice(from, match.index))
      if (cited.length === 0) continue
      this.emit(ready.slice(from, match.index), events)
      events.push(...cited)
      from = match.index + match[0].length
    }
    this.emit(ready.slice(from), events)
    return events
  }

  private citationsOf(numbers: string, before: string): ReadonlyArray<GenerationEvent> {
    const text = (this.tail + before.slice(-longestStatement)).slice(-longestStatement)
    const end = this.length + before.length
    const statement = text.slice(sentenceStart(text))
    const start = end - statement.length
    return numbers.split(",").flatMap((number): ReadonlyArray<GenerationEvent> => {
      const citation = this.sources.cite(Number(number), statement, start, end)
      return citation === undefined ? [] : [{ type: "citation", citation }]
    })
  }

  private emit(text: string, events: Array<GenerationEvent>) {
    if (text === "") return
    this.remember(text)
    events.push({ type: "text-delta", text })
  }

  private remember(text: string) {
    this.length += text.length
    this.tail = (this.tail + text).slice(-longestStatement)
  }
}

/** The start of the last sentence of a text, whose own end mark does not count. */
const sentenceStart = (text: string): number => {
  const body = text.trimEnd().slice(0, -1)
  let start = 0
  for (const { 0: found, index } of body.matchAll(/[.!?]["')\]]?\s+|\n+\s*/g)) start = index + found.length
  return start
}
