import type { Conversation } from "../../generation/Conversation.ts"
import type { Notes } from "./notes.ts"

/** The field for the caller's end user and the longest id in it. */
export interface EndUserField {
  readonly name: "user" | "safety_identifier" | "user_id"
  readonly characters?: number
}

/** The end user's id for the field. One that is too long becomes its hash, so that it stays the same user. */
export const endUser = (
  { endUser: id }: Conversation,
  field: EndUserField | undefined,
  notes: Notes
): Readonly<Record<string, string>> | undefined => {
  if (id === undefined) return undefined
  const { characters = Number.POSITIVE_INFINITY, name } = field ?? {}
  if (name !== undefined && id.length <= characters) return { [name]: id }
  notes.adapt("user")
  return name === undefined ? undefined : { [name]: new Bun.CryptoHasher("sha256").update(id).digest("hex") }
}
