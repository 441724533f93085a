import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"

/**
 * The state of reading reasoning in front of an answer's content: `<think>…</think>`. Servers that do not parse
 * reasoning (plain ones with DeepSeek's or Qwen's models) write it like this.
 */
export interface Thinking {
  readonly at: "front" | "thought" | "behind" | "answer"
  /** Text that may begin a tag, or the space before it, held back until that is certain. */
  readonly held: string
}

export const beginThinking: Thinking = { at: "front", held: "" }

const opening = "<think>"
const closing = "</think>"
/** The most space before the tag, in characters. More belongs to the answer. */
const longestSpace = 64

/** Reads one more piece of the content, which may end inside a tag. */
export const readThinking = (state: Thinking, piece: string, events: Array<GenerationEvent>): Thinking => {
  const text = state.held + piece
  switch (state.at) {
    case "front": {
      const trimmed = text.trimStart()
      const isNear = text.length - trimmed.length <= longestSpace
      if (isNear && trimmed.length < opening.length && opening.startsWith(trimmed)) return { at: "front", held: text }
      if (isNear && trimmed.startsWith(opening)) {
        return readThinking({ at: "thought", held: "" }, trimmed.slice(opening.length), events)
      }
      emitText("text-delta", text, events)
      return { at: "answer", held: "" }
    }
    case "thought": {
      const end = text.indexOf(closing)
      if (end !== -1) {
        emitText("reasoning-delta", text.slice(0, end), events)
        events.push({ type: "reasoning-end", signature: undefined })
        return readThinking({ at: "behind", held: "" }, text.slice(end + closing.length), events)
      }
      const held = beginOfTag(text)
      emitText("reasoning-delta", text.slice(0, text.length - held), events)
      return { at: "thought", held: text.slice(text.length - held) }
    }
    // Blank lines separate the answer from the reasoning.
    case "behind": {
      const trimmed = text.trimStart()
      if (trimmed === "") return { at: "behind", held: "" }
      emitText("text-delta", trimmed, events)
      return { at: "answer", held: "" }
    }
    case "answer":
      emitText("text-delta", text, events)
      return state
  }
}

/** The answer has ended, so the held text was no tag. */
export const endThinking = ({ at, held }: Thinking): ReadonlyArray<GenerationEvent> => {
  const events: Array<GenerationEvent> = []
  emitText(at === "thought" ? "reasoning-delta" : "text-delta", held, events)
  return events
}

const emitText = (type: "text-delta" | "reasoning-delta", text: string, events: Array<GenerationEvent>): void => {
  if (text !== "") events.push({ type, text })
}

/** How many of the last characters may begin the closing tag. */
const beginOfTag = (text: string): number => {
  for (let length = Math.min(text.length, closing.length - 1); length > 0; length--) {
    if (closing.startsWith(text.slice(-length))) return length
  }
  return 0
}
