import { appendText } from "../../generation/appendText.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import { isCut, unwrapCustom } from "./back.ts"
import { beginsQuoted, unquoted } from "./quoted.ts"

/** A content block that is a tool's call. */
export interface CallBlock {
  readonly type: "call"
  /** Undefined for the answer tool, whose arguments are the answer's text. */
  readonly id: string | undefined
  /** A custom tool's input arrives wrapped, and is emitted once it is complete. */
  readonly custom: boolean
  readonly input: string
  /** Quoted arguments are emitted once they are complete, too. Undefined until they begin. */
  readonly quoted?: boolean | undefined
}

export interface EndedCall {
  readonly events: ReadonlyArray<GenerationEvent>
  /** The id of a call without arguments: none are needed, or it was cut before they came. The next frame decides. */
  readonly bare?: string | undefined
  /** A cut call ends with the generation. */
  readonly isCut: boolean
}

export const writeCall = (block: CallBlock, text: string): readonly [CallBlock, ReadonlyArray<GenerationEvent>] => {
  const quoted = block.quoted ?? beginsQuoted(text)
  const next = { ...block, quoted, input: appendText(block.input, text) }
  return [next, block.custom || quoted === true ? [] : [piece(block, text)]]
}

export const endCall = (block: CallBlock): EndedCall => {
  const { custom, id, input, quoted } = block
  if (input === "") return { events: [], bare: id, isCut: false }
  const plain = quoted === true ? unquoted(input) : input
  const rest = custom ? unwrapCustom(plain) : quoted === true ? plain : ""
  const events = rest === "" ? [] : [piece(block, rest)]
  if (id === undefined) return { events, isCut: false }
  return isCut(plain)
    ? { events, isCut: true }
    : { events: [...events, { type: "tool-call-end", callId: id }], isCut: false }
}

/** Ends a call without arguments. */
export const endBare = (callId: string): ReadonlyArray<GenerationEvent> => [
  { type: "tool-call-delta", callId, text: "{}" },
  { type: "tool-call-end", callId }
]

const piece = ({ id }: CallBlock, text: string): GenerationEvent =>
  id === undefined ? { type: "text-delta", text } : { type: "tool-call-delta", callId: id, text }
