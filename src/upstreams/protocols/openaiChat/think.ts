import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"

/**
 * Where reading an answer's content is whose reasoning stands in it, in front of the answer: `<think>…</think>`. Servers
 * that parse no reasoning (DeepSeek's and Qwen's models behind plain ones) write it so.
 */
export interface Thinking {
  readonly at: "front" | "thought" | "behind" | "answer"
  /** What may be the beginning of a tag, or the space before it; told once that is known. */
  readonly held: string
}

export const beginThinking: Thinking = { at: "front", held: "" }

const opening = "<think>"
const closing = "</think>"
/** How much space may stand before the tag, in characters: more is an answer's. */
const longestSpace = 64

/** One more piece of the content, which may end anywhere in a tag. */
export const readThinking = (state: Thinking, piece: string, events: Array<GenerationEvent>): Thinking => {
  const text = state.held + piece
  switch (state.at) {
    case "front": {
      const said = text.trimStart()
      const isNear = text.length - said.length <= longestSpace
      if (isNear && said.length < opening.length && opening.startsWith(said)) return { at: "front", held: text }
      if (isNear && said.startsWith(opening)) {
        return readThinking({ at: "thought", held: "" }, said.slice(opening.length), events)
      }
      tell("text-delta", text, events)
      return { at: "answer", held: "" }
    }
    case "thought": {
      const end = text.indexOf(closing)
      if (end !== -1) {
        tell("reasoning-delta", text.slice(0, end), events)
        events.push({ type: "reasoning-end", signature: undefined })
        return readThinking({ at: "behind", held: "" }, text.slice(end + closing.length), events)
      }
      const held = beginOfTag(text)
      tell("reasoning-delta", text.slice(0, text.length - held), events)
      return { at: "thought", held: text.slice(text.length - held) }
    }
    // The answer begins some lines below.
    case "behind": {
      const said = text.trimStart()
      if (said === "") return { at: "behind", held: "" }
      tell("text-delta", said, events)
      return { at: "answer", held: "" }
    }
    case "answer":
      tell("text-delta", text, events)
      return state
  }
}

/** The answer is over: what was held was no tag. */
export const endThinking = ({ at, held }: Thinking): ReadonlyArray<GenerationEvent> => {
  const events: Array<GenerationEvent> = []
  tell(at === "thought" ? "reasoning-delta" : "text-delta", held, events)
  return events
}

const tell = (type: "text-delta" | "reasoning-delta", text: string, events: Array<GenerationEvent>): void => {
  if (text !== "") events.push({ type, text })
}

/** How many characters at the end of a text may begin the closing tag. */
const beginOfTag = (text: string): number => {
  for (let length = Math.min(text.length, closing.length - 1); length > 0; length--) {
    if (closing.startsWith(text.slice(-length))) return length
  }
  return 0
}
