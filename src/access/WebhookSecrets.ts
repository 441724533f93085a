import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Context, Duration, Effect, Either, Layer, Redacted } from "effect"
import type { Configuration } from "../config/Configuration.ts"
import { BadSettings } from "../config/document.ts"
import { AccountId } from "../contract/callers/Caller.ts"
import { testDouble } from "../contract/testDouble.ts"
import { alertsAccount } from "./alertsAccount.ts"
import { BadSecret, MasterSecret } from "./MasterSecret.ts"
import { Accounts } from "./store/Accounts.ts"

/** How long a rotated secret signs beside the new one. Deliveries are retried for 24 h. */
const grace = Duration.hours(48)

/**
 * The secrets that sign an account's callbacks: `whsec_` and base64 (Standard Webhooks). They are derived, not stored, so
 * that a database dump holds none.
 */
export class WebhookSecrets extends Context.Tag("gateway/access/WebhookSecrets")<
  WebhookSecrets,
  {
    /** All current signing secrets, newest first: two during a rotation's grace period. */
    readonly signing: (account: AccountId) => Effect.Effect<ReadonlyArray<Redacted.Redacted>, SqlError>
    /** Rotates to a new secret and returns it; the previous one signs for two more days. */
    readonly rotate: (account: AccountId) => Effect.Effect<Redacted.Redacted, SqlError | BadSecret>
  }
>() {
  /**
   * @param chosen `GATEWAY_WEBHOOK_SECRET`: the secret of the account `default`; to rotate, several separated by blanks,
   * which all sign
   * @param follow of the configuration, which may name other ones later
   */
  static readonly layer = (chosen: Redacted.Redacted | undefined, follow?: Follow) =>
    Layer.provide(Layer.scoped(WebhookSecrets, make(chosen, follow)), Accounts.Default)

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<(typeof WebhookSecrets)["Service"]>) => testDouble(WebhookSecrets, given)
}

type Follow = (typeof Configuration)["Service"]["follow"]

const make = Effect.fnUntraced(function* (chosen: Redacted.Redacted | undefined, follow: Follow | undefined) {
  const accounts = yield* Accounts
  const master = yield* MasterSecret
  let ofAlerts: Redacted.Redacted | undefined
  let own = chosen === undefined ? [] : yield* parseChosen(chosen)
  yield* (
    follow?.(({ value, variables }) => {
      const next = variables?.GATEWAY_WEBHOOK_SECRET
      const apply = () => {
        ofAlerts = value.alerts?.secret
      }
      if (next === undefined) return Effect.succeed(apply)
      return Effect.mapBoth(parseChosen(next), {
        onFailure: ({ message }) => new BadSettings({ message }),
        onSuccess: (secrets) => () => {
          apply()
          own = secrets
        }
      })
    }) ?? Effect.void
  )
  const isChosen = (account: AccountId) => own.length > 0 && account === defaultAccount

  const derive = (account: AccountId, version: number) =>
    Redacted.make(spell(Redacted.value(master.derive(`webhook/${account}/${version}`))))

  const derivedNow = Effect.fnUntraced(function* (account: AccountId) {
    const nowMs = yield* Clock.currentTimeMillis
    const row = (yield* accounts.webhookSecret(account)) ?? { version: 1, rotated_at: null }
    const young = row.rotated_at !== null && nowMs < row.rotated_at + Duration.toMillis(grace)
    return [row.version, ...(young ? [row.version - 1] : [])].map((version) => derive(account, version))
  })
  const signingOf = (account: AccountId) => {
    if (account === alertsAccount && ofAlerts !== undefined) return Effect.succeed([ofAlerts])
    return isChosen(account) ? Effect.succeed(own) : derivedNow(account)
  }

  const rotate = Effect.fnUntraced(function* (account: AccountId) {
    if (isChosen(account)) {
      return yield* new BadSecret({
        message:
          "the webhook secret of this account is set by GATEWAY_WEBHOOK_SECRET: put the new one before the old, separated by a blank"
      })
    }
    const nowMs = yield* Clock.currentTimeMillis
    const row = yield* accounts.rotateWebhookSecret(account, nowMs)
    if (row === undefined) return yield* new BadSecret({ message: `no account has the id "${account}"` })
    return derive(account, row.version)
  })

  return { signing: signingOf, rotate } as const
})

const defaultAccount = AccountId.make("default")

const spell = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString("base64")}`

const parseChosen = (chosen: Redacted.Redacted) => {
  const words = Redacted.value(chosen)
    .split(/[\s,]+/)
    .filter((word) => word !== "")
  const secrets = words.map((word) => Either.try(() => Uint8Array.fromBase64(word.replace(/^whsec_/, ""))))
  const bad = secrets.some((secret) => Either.isLeft(secret) || secret.right.length < 24 || secret.right.length > 64)
  return bad || words.length === 0
    ? Effect.fail(
        new BadSecret({
          message: "GATEWAY_WEBHOOK_SECRET: expected whsec_ followed by the base64 of 24 to 64 random bytes"
        })
      )
    : Effect.succeed(secrets.flatMap((secret) => (Either.isRight(secret) ? [Redacted.make(spell(secret.right))] : [])))
}
