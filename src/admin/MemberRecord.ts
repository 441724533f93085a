import { Schema } from "effect"
import { Role } from "../contract/callers/Acting.ts"
import { csv } from "../contract/text/csv.ts"
import { answerField } from "../contract/fields.ts"

/** A person whose role reaches an account. */
export const MemberRecord = Schema.Struct({
  object: Schema.Literal("member"),
  person: answerField(Schema.String, "The person's id (`person_…`)."),
  name: answerField(Schema.String, "The verified e-mail address; without one, the provider's id of the person."),
  role: answerField(Role, "The role, by the rules of now and the groups that were last confirmed."),
  keys: answerField(Schema.Int, "Active keys of their own in this account."),
  last_seen_at: answerField(Schema.String, "When they signed in, or used a session or one of their keys, last."),
  confirmed_at: answerField(Schema.String, "When their provider last confirmed them and their groups.")
}).annotations({ identifier: "Member" })
export type MemberRecord = typeof MemberRecord.Type

/** The same as CSV. */
export const membersCsv = (members: ReadonlyArray<MemberRecord>): string =>
  csv(
    ["person", "name", "role", "keys", "last_seen_at", "confirmed_at"],
    members.map(({ confirmed_at, keys, last_seen_at, name, person, role }) => [
      person,
      name,
      role,
      String(keys),
      last_seen_at,
      confirmed_at
    ])
  )
