import type { Conversation } from "../../generation/Conversation.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { argumentsObject, isMalformed } from "../../contract/json/json.ts"

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

/** A call's arguments for a dialect that has them as an object. */
export const callInput = (text: string, notes: Notes): JsonObject => {
  const input = argumentsObject(text)
  if (isMalformed(input)) notes.adapt("arguments")
  return input
}

/** The caller's name of the answer's format. */
export const formatParam = ({ formatParam = "text.format" }: Conversation): string => formatParam

/** An answer's format in words, for a model that can't be held to it. */
export const jsonHint = (format: Conversation["format"]): string =>
  `Answer with one JSON object and nothing else${
    format.type === "json-schema" ? ` that matches this JSON Schema:\n${JSON.stringify(format.schema)}` : "."
  }`
