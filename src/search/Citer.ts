import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import type { Sources } from "./Sources.ts"

/** One or more numbers in double brackets, with the blanks before them. */
const marker = / {0,4}\[\[(\d{1,3}(?:, ?\d{1,3}){0,9})\]\]/g
/** The end of a text that may become a marker. */
const begun = / {0,4}(?:\[(?:\[(?:\d[\d, ]{0,24}\]?)?)?)?$/
/** Characters in which a statement's beginning is looked for. */
const longestStatement = 2_000

/**
 * Turns a model's marks (`[[1]]`) into citations as its text goes by. A mark is taken out of the text; what it stands for
 * is the statement before it, back to the sentence's beginning.
 */
export class Citer {
  private readonly sources: Sources
  private pending = ""
  /** Characters that were passed on. */
  private length = 0
  /** The last of them, as many as a statement may have. */
  private tail = ""

  constructor(sources: Sources) {
    this.sources = sources
  }

  /** A piece of text; answers the events it is told as. */
  write(piece: string): ReadonlyArray<GenerationEvent> {
    if (this.sources.isEmpty) {
      this.remember(piece)
      return [{ type: "text-delta", text: piece }]
    }
    this.pending += piece
    const open = begun.exec(this.pending)?.index ?? this.pending.length
    const ready = this.pending.slice(0, open)
    this.pending = this.pending.slice(open)
    return this.pass(ready)
  }

  /** The text ends here: what was held back goes, and the next one counts from its own beginning. */
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

/** Where the last sentence of a text begins, its own end mark not counted. */
const sentenceStart = (text: string): number => {
  const body = text.trimEnd().slice(0, -1)
  let start = 0
  for (const { 0: found, index } of body.matchAll(/[.!?]["')\]]?\s+|\n+\s*/g)) start = index + found.length
  return start
}
