import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import type { GuardedText } from "./askHook.ts"

/** A text in events, which may be in pieces there. */
export interface AnswerText extends GuardedText {
  /** True for a JSON text. */
  readonly isJson: boolean
  /** Puts another text in its place. */
  readonly put: (text: string) => void
}

/** Events whose texts may be replaced. */
export interface AnswerTexts {
  readonly texts: ReadonlyArray<AnswerText>
  /** The events with the replaced texts. */
  readonly events: () => ReadonlyArray<GenerationEvent>
}

/** The open items of which a piece was replaced. */
export interface Replaced {
  text: boolean
  reasoning: boolean
}

/** The texts of events. Pieces of an item's text are one. */
export const answerTexts = (given: ReadonlyArray<GenerationEvent>, replaced: Replaced): AnswerTexts => {
  const events: Array<GenerationEvent | undefined> = [...given]
  const open = new Map<string, Pieces>()
  const texts: Array<AnswerText> = []
  const kinds = new Map<string, "function" | "custom">()
  const changed = new Set<Pieces>()

  const add = (key: string, index: number, { text, ...piece }: Piece) => {
    const pieces = open.get(key)
    if (pieces !== undefined) {
      pieces.indexes.push(index)
      pieces.parts.push(text)
      return
    }
    const made: Pieces = { ...piece, indexes: [index], parts: [text] }
    open.set(key, made)
    texts.push({
      at: piece.at,
      isJson: piece.isJson,
      get text() {
        return made.parts.join("")
      },
      put: (now) => {
        if (now === made.parts.join("")) return
        changed.add(made)
        const [first = 0, ...others] = made.indexes
        events[first] = made.as(now)
        for (const other of others) events[other] = undefined
      }
    })
  }
  const single = (index: number, at: string, text: string, as: (text: string) => GenerationEvent, isJson = false) => {
    texts.push({
      at,
      text,
      isJson,
      put: (now) => {
        if (now !== text) events[index] = as(now)
      }
    })
  }

  for (const [index, event] of given.entries()) {
    switch (event.type) {
      case "tool-call-start":
        kinds.set(event.callId, event.kind)
        break
      case "text-start":
      case "text-end":
        open.delete("text")
        break
      case "citation":
        single(index, "citation", event.citation.citedText, (citedText) => ({
          type: "citation",
          citation: { ...event.citation, citedText }
        }))
        break
      case "text-delta":
        add("text", index, {
          at: "assistant",
          text: event.text,
          isJson: false,
          as: (text) => ({ type: "text-delta", text })
        })
        break
      case "refusal-delta":
        add("refusal", index, {
          at: "refusal",
          text: event.text,
          isJson: false,
          as: (text) => ({ type: "refusal-delta", text })
        })
        break
      case "reasoning-start":
        open.delete("reasoning")
        break
      case "reasoning-end":
        open.delete("reasoning")
        break
      case "reasoning-delta":
        add("reasoning", index, {
          at: "reasoning",
          text: event.text,
          isJson: false,
          as: (text) => ({ type: "reasoning-delta", text })
        })
        break
      case "tool-call-delta": {
        const { callId, text } = event
        const isJson = kinds.get(callId) !== "custom"
        add(`call ${callId}`, index, {
          at: "tool_call",
          text,
          isJson,
          as: (now) => ({ type: "tool-call-delta", callId, text: now })
        })
        break
      }
      case "server-call-delta": {
        const { id, text } = event
        add(`server ${id}`, index, {
          at: "tool_call",
          text,
          isJson: true,
          as: (now) => ({ type: "server-call-delta", id, text: now })
        })
        break
      }
      case "approval-asked":
        single(index, "tool_call", event.arguments, (now) => ({ ...event, arguments: now }), true)
        break
      case "search-start":
        single(index, "search", event.query, (query) => ({ ...event, query }))
        break
      case "server-call-end": {
        const { error } = event.result
        single(index, "tool_result", event.result.text, (text) => ({
          ...event,
          result: {
            text,
            ...(error !== undefined && {
              error:
                error.type === "mcp_tool_execution_error"
                  ? { ...error, content: [{ type: "text", text }] }
                  : { ...error, message: text }
            })
          }
        }))
        break
      }
      default:
    }
  }

  const finish = () => {
    for (const [index, event] of events.entries()) {
      if (event === undefined) continue
      if (event.type === "text-delta" || event.type === "reasoning-delta") {
        const pieces = event.type === "text-delta" ? "text" : "reasoning"
        for (const one of changed) if (one.indexes[0] === index) replaced[pieces] = true
      } else if (event.type === "text-start" || event.type === "text-end") {
        replaced.text = false
      } else if (event.type === "citation" && replaced.text) {
        // It tells places in other words.
        events[index] = undefined
      } else if (event.type === "reasoning-start") {
        replaced.reasoning = false
      } else if (event.type === "reasoning-end") {
        // Its maker refuses other words under its signature.
        if (replaced.reasoning) events[index] = { type: "reasoning-end", signature: undefined }
        replaced.reasoning = false
      }
    }
    return events.filter((event) => event !== undefined)
  }

  return { texts, events: finish }
}

interface Piece {
  readonly at: string
  readonly text: string
  readonly isJson: boolean
  /** Its event with another text. */
  readonly as: (text: string) => GenerationEvent
}

interface Pieces extends Omit<Piece, "text"> {
  readonly indexes: Array<number>
  readonly parts: Array<string>
}
