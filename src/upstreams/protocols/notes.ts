import { InvalidRequest } from "../../contract/Failure.ts"

/** What a request loses on its way into another dialect, gathered while it is lowered. */
export interface Notes {
  /** Says that a parameter or part, by the caller's name for it, is left out or approximated. */
  readonly adapt: (name: string) => void
  /** Says that the request makes no sense without something that can't be said. The first one counts. */
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
