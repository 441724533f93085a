import type { Caller } from "./Caller.ts"

/** The credential of a caller, as refusals name it: people who signed in have no API key. */
export const credential = ({ openedBy }: Pick<Caller, "openedBy">): string => {
  switch (openedBy) {
    case "sign-in":
      return "this sign-in"
    case "issuer":
      return "the subject of this token"
    default:
      return "this API key"
  }
}

/** The same at the beginning of a sentence. */
export const credentialFirst = (caller: Pick<Caller, "openedBy">): string => {
  const text = credential(caller)
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
