import type { Conversation } from "../../generation/Conversation.ts"
import { hasMarks } from "../../generation/cacheMarks.ts"
import { InvalidRequest } from "../../contract/Failure.ts"

/** Losses of a request on its way into another dialect, collected while it is lowered. */
export interface Notes {
  /** Records that a parameter or part, by the caller's name, is dropped or approximated. */
  readonly adapt: (name: string) => void
  /** Records that the request is pointless without something that cannot be expressed. The first one counts. */
  readonly refuse: (param: string, message: string) => void
  readonly adapted: () => ReadonlyArray<string>
  readonly refused: () => InvalidRequest | undefined
}

export const takeNotes = (): Notes => {
  const adapted = new Set<string>()
  let refused: InvalidRequest | undefined
  return {
    adapt: (name) => void adapted.add(name),
    refuse: (param, message) => {
      refused ??= new InvalidRequest({ param, message: `${param}: ${message}` })
    },
    adapted: () => [...adapted],
    refused: () => refused
  }
}

/** Names cache breakpoints for a dialect without them. */
export const nameBreakpoints = (conversation: Conversation, notes: Notes): void => {
  if (hasMarks(conversation)) notes.adapt("cache_control")
}

/** The caller's name of the answer's format. */
export const formatParam = ({ formatParam = "text.format" }: Conversation): string => formatParam
