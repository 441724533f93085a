import { Effect, Redacted } from "effect"
import { WebhookSecrets } from "../access/WebhookSecrets.ts"
import type { Actor } from "../contract/callers/Acting.ts"
import { AccountId } from "../contract/callers/Caller.ts"
import { Conflict } from "../contract/failures/Failure.ts"
import { Changes } from "../sql/Changes.ts"
import { AccountAdministration } from "./AccountAdministration.ts"
import { Audit } from "./store/Audit.ts"
import { makeChange } from "./change.ts"

/** The secrets that sign an account's callbacks, newest first. */
export interface SigningSecrets {
  readonly account: string
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

/** The operator's view of webhook secrets. */
export class WebhookAdministration extends Effect.Service<WebhookAdministration>()(
  "gateway/admin/WebhookAdministration",
  {
    dependencies: [AccountAdministration.Default, Audit.Default, Changes.Default],
    effect: Effect.gen(function* () {
      const accounts = yield* AccountAdministration
      const secrets = yield* WebhookSecrets
      const change = yield* makeChange

      const signingOf = (id: string) =>
        Effect.map(Effect.orDie(secrets.signing(AccountId.make(id))), (secrets): SigningSecrets => ({
          account: id,
          secrets
        }))

      const show = (id: string) => Effect.zipRight(accounts.show(id), signingOf(id))

      /** Adds a secret; the former one keeps signing for two days. */
      const rotate = (actor: Actor, id: string) =>
        change({
          actor,
          action: "webhooks.rotate",
          before: Effect.as(accounts.show(id), null),
          write: Effect.catchTag(secrets.rotate(AccountId.make(id)), "BadSecret", ({ message }) =>
            Effect.fail(new Conflict({ code: null, message }))
          ),
          after: () => Effect.succeed(null),
          target: () => id
        }).pipe(Effect.zipRight(signingOf(id)))

      return { show, rotate } as const
    })
  }
) {}

/** The secrets in plain text, as the admin API answers them. */
export const signingRecord = ({ account, secrets }: SigningSecrets) => ({
  object: "webhook_secrets" as const,
  account,
  secrets: secrets.map(Redacted.value)
})
