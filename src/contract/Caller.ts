import { Schema } from "effect"

/** An account: owns keys, tasks, responses and a balance. */
export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** A key's public id (never its secret). */
export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** Who is calling: the account that owns what the request makes, and the key it came with. */
export interface Caller {
  readonly account: AccountId
  readonly key: KeyId
}
