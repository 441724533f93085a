import { Schema } from "effect"
import { AccountRecord } from "../../src/admin/AccountRecord.ts"

export const isAccount = Schema.is(Schema.typeSchema(AccountRecord))

/** The dialog that is open. */
export type AccountDialog =
  | { readonly of: "create" }
  | {
      readonly of: "budgets" | "credit" | "delete" | "models" | "settings" | "suspend"
      readonly account: AccountRecord
    }

/** A dialog about an account. */
export interface DialogOf {
  readonly account: AccountRecord
  readonly close: () => void
  readonly changed: () => Promise<void>
}
