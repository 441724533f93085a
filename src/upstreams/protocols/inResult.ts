import type { Part } from "../../generation/Conversation.ts"
import type { Notes } from "./notes.ts"

/** Words in place of a file that the model can't take. */
export const leftOut = (type: Part["type"]): string => `[This ${type} can't be shown to the model.]`

/**
 * A part of a tool's result; undefined if it is a file that the upstream can't take, which is named. It remains in the
 * history of the caller's loop, so a refusal would end that for good.
 */
export const inResult = <A>(notes: Notes, lower: (notes: Notes) => ReadonlyArray<A>): ReadonlyArray<A> | undefined => {
  let refused: string | undefined
  const lowered = lower({ ...notes, refuse: (param) => void (refused ??= param) })
  if (refused === undefined) return lowered
  notes.adapt(refused)
  return undefined
}
