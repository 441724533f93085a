import { Redacted } from "effect"
import type { KeyWithSecret } from "../admin/KeyAdministration.ts"
import { print } from "./options.ts"

/** Prints a key's new secret, which is shown once. */
export const printSecret = (asJson: boolean, { key, secret }: KeyWithSecret, words: string) =>
  print(asJson, { key, secret: Redacted.value(secret) }, () => `${words}\n\n  ${Redacted.value(secret)}\n`)
