import { Schema } from "effect"
import { needsAccounts, rolesOfKeys } from "../../contract/callers/roles.ts"
import { secretOf } from "../SecretFiles.ts"
import { optionalField, requiredField } from "./fields.ts"
import { Moment, Text } from "./values.ts"

/** Accounts by id; `team-*` are all whose id begins so. */
export const AccountPatterns = Schema.NonEmptyArray(
  Text.pipe(
    Schema.filter((text) => !text.slice(0, -1).includes("*"), {
      message: () => "expected an account's id, or its beginning and `*`: team-*"
    })
  )
)

/** A key of the admin API besides `GATEWAY_ADMIN_KEY`. */
export const AdminKey = Schema.Struct({
  name: requiredField(
    Text.pipe(
      Schema.filter((name) => name !== "admin-key", { message: () => "admin-key is the name of GATEWAY_ADMIN_KEY" })
    ),
    "Names it in the audit log."
  ),
  secret: requiredField(
    secretOf(Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))),
    "The key, 24 characters or more."
  ),
  role: requiredField(Schema.Literal(...rolesOfKeys), "Its [role](people.md#roles)."),
  accounts: optionalField(
    AccountPatterns,
    "The accounts that it reaches: ids, or `team-*`. A role that never reaches all, such as `manager`, needs them.",
    "all"
  ),
  bodies: optionalField(
    Schema.Boolean,
    "Whether an auditor or a manager is shown recorded bodies by the admin API and the console. A manager can make keys of the account, and these read its bodies at `/v1/requests/{id}`.",
    "`false`"
  ),
  expires_at: optionalField(Moment, "When it stops working: `2027-01-31` (UTC) or `2027-01-31T12:00:00Z`.", "never")
}).pipe(
  Schema.filter(({ accounts, role }) => !needsAccounts(role) || accounts !== undefined || `a ${role} needs accounts`)
)
export type AdminKey = typeof AdminKey.Type
