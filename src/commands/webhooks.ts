import { Args, Command } from "@effect/cli"
import { Effect, Redacted } from "effect"
import { signingRecord } from "../admin/WebhookAdministration.ts"
import type { SigningSecrets } from "../admin/WebhookAdministration.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { help, json, print } from "./options.ts"
import { Operator } from "./operator/Operator.ts"

const id = Args.text({ name: "account" }).pipe(Args.withDescription("The account's id."))

const secret = Command.make("secret", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { webhooks } = yield* Operator
      const signing = yield* webhooks.show(id)
      yield* print(json, signingRecord(signing), () => shown(signing))
    })
  )
).pipe(
  Command.withDescription(
    help(
      "Show the secrets that sign an account's callbacks. Newest first, in the format of Standard Webhooks.",
      "gateway webhooks secret team-a"
    )
  )
)

const rotate = Command.make("rotate", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { webhooks } = yield* Operator
      const signing = yield* webhooks.rotate(id)
      yield* print(
        json,
        signingRecord(signing),
        () =>
          `The callbacks of ${id} are signed with the first secret and, for two days, also with the former one.\n\n${shown(signing)}`
      )
    })
  )
).pipe(
  Command.withDescription(
    help(
      "Rotate an account's webhook secret. The former one keeps signing for two days.",
      "gateway webhooks rotate team-a"
    )
  )
)

export const webhooksCommand: Group = { name: "webhooks", commands: [remoteLeaf(secret), remoteLeaf(rotate)] }

const shown = ({ secrets }: SigningSecrets) => secrets.map((secret) => `  ${Redacted.value(secret)}`).join("\n")
