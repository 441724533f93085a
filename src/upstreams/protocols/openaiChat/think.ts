import { appendText } from "../../../generation/appendText.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"

/**
 * True if a server writes reasoning into the content, as `<think>…</think>` before the answer. `unopened`: its chat
 * template writes the opening tag, so that it is part of the question.
 */
export type ThinkTags = boolean | "unopened"

/**
 * The state of reading reasoning in front of an answer's content: `<think>…</think>`. Servers that do not parse
 * reasoning (plain ones with DeepSeek's or Qwen's models) write it like this, and Amazon's Nova with `<thinking>`.
 */
export interface Thinking {
  readonly at: "front" | "thought" | "behind" | "answer"
  readonly tag: ThinkTag
  /** Text that may begin a tag, or the space before it, held back until that is certain. */
  readonly held: string
  /** The reasoning so far where no tag has opened it; undefined if only a tag does. */
  readonly unopened?: string | undefined
}

/** The tag's name. */
export type ThinkTag = "think" | "thinking"

export const beginThinking = (tags: ThinkTags, tag: ThinkTag = "think"): Thinking | undefined => {
  if (tags === false) return undefined
  const front = { at: "front", tag, held: "" } as const
  return tags === true ? front : { ...front, unopened: "" }
}

/** The most space before the tag, in characters. More belongs to the answer. */
const longestSpace = 64

/** Reads one more piece of the content, which may end inside a tag. */
export const readThinking = (state: Thinking, piece: string, events: Array<GenerationEvent>): Thinking => {
  const text = state.held + piece
  const { tag, unopened } = state
  const [opening, closing] = [`<${tag}>`, `</${tag}>`]
  switch (state.at) {
    case "front": {
      const trimmed = text.trimStart()
      const isNear = text.length - trimmed.length <= longestSpace
      if (isNear && trimmed.length < opening.length && opening.startsWith(trimmed)) return { ...state, held: text }
      if (isNear && trimmed.startsWith(opening)) {
        return readThinking({ at: "thought", tag, held: "" }, trimmed.slice(opening.length), events)
      }
      if (unopened !== undefined) return readThinking({ at: "thought", tag, held: "", unopened }, text, events)
      emitText("text-delta", text, events)
      return { at: "answer", tag, held: "" }
    }
    case "thought": {
      const end = text.indexOf(closing)
      if (end !== -1) {
        emitText("reasoning-delta", text.slice(0, end), events)
        events.push({ type: "reasoning-end", signature: undefined })
        return readThinking({ at: "behind", tag, held: "" }, text.slice(end + closing.length), events)
      }
      const held = beginOfTag(text, closing)
      const thought = text.slice(0, text.length - held)
      emitText("reasoning-delta", thought, events)
      return {
        at: "thought",
        tag,
        held: text.slice(text.length - held),
        unopened: unopened === undefined ? undefined : appendText(unopened, thought)
      }
    }
    // Blank lines separate the answer from the reasoning, which may go on in tags of its own.
    case "behind": {
      const trimmed = text.trimStart()
      if (trimmed.length < opening.length && opening.startsWith(trimmed)) return { at: "behind", tag, held: trimmed }
      if (trimmed.startsWith(opening)) {
        return readThinking({ at: "thought", tag, held: "" }, trimmed.slice(opening.length), events)
      }
      emitText("text-delta", trimmed, events)
      return { at: "answer", tag, held: "" }
    }
    case "answer":
      emitText("text-delta", text, events)
      return state
  }
}

/**
 * The answer has ended, so the held text was no tag. Without any tag, the model did not reason: its reasoning was the
 * answer.
 *
 * @param isAnswered true if the answer may end without text
 */
export const endThinking = ({ at, held, unopened }: Thinking, isAnswered: boolean): ReadonlyArray<GenerationEvent> => {
  const events: Array<GenerationEvent> = []
  const isThought = at === "thought" || (at === "front" && unopened !== undefined)
  emitText(isThought ? "reasoning-delta" : "text-delta", held, events)
  if (isThought && unopened !== undefined && !isAnswered) emitText("text-delta", unopened + held, events)
  return events
}

const emitText = (type: "text-delta" | "reasoning-delta", text: string, events: Array<GenerationEvent>): void => {
  if (text !== "") events.push({ type, text })
}

/** How many of the last characters may begin the closing tag. */
const beginOfTag = (text: string, closing: string): number => {
  for (let length = Math.min(text.length, closing.length - 1); length > 0; length--) {
    if (closing.startsWith(text.slice(-length))) return length
  }
  return 0
}
