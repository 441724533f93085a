import { Effect } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { actorOf } from "../contract/callers/Acting.ts"
import { handlers } from "../contract/handlers.ts"
import type { Handlers } from "../contract/handlers.ts"
import { offsetOf, pagedByOffset, wholeList } from "../contract/paging.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import { PendingUsage } from "../ledger/PendingUsage.ts"
import { accountOptions, admitWebhook } from "./accountOptions.ts"
import type { AccountRecord } from "./AccountRecord.ts"
import { AdminAccountsApi } from "./AccountsApi.ts"
import { Administration } from "./Administration.ts"
import { nanoUsdOf } from "./fields.ts"
import { membersAnswer } from "./membersAnswer.ts"
import { makeOwned } from "./Owned.ts"
import { withUnmatched } from "./modelRules.ts"
import { makeUnmatched } from "./makeUnmatched.ts"
import { signingRecord } from "./WebhookAdministration.ts"

/** Operations of `/admin/v1/accounts`. */
export const makeAccountsHandlers = Effect.map(
  Effect.all([Administration, makeUnmatched, PendingUsage, AddressGuard, makeOwned, Configuration]),
  ([{ accounts, ending, members, reports, webhooks }, unmatched, { flush }, guard, owned, configuration]): Handlers<
    typeof AdminAccountsApi
  > => {
    const noted = (account: AccountRecord) => withUnmatched(account, unmatched)
    return {
      list: ({ caller, urlParams }) =>
        reports.ofKey(
          caller.key,
          Effect.map(accounts.list({ ...offsetOf(urlParams), among: caller.within?.accounts }), (rows) =>
            pagedByOffset(rows.map(noted), urlParams)
          )
        ),
      create: ({ caller, payload }) =>
        Effect.zipRight(
          admitWebhook(guard, payload),
          accounts.create(actorOf(caller), payload.id, {
            ...accountOptions(payload),
            nanoUsd:
              payload.balance_usd === undefined || payload.balance_usd === null
                ? undefined
                : nanoUsdOf(payload.balance_usd)
          })
        ).pipe(Effect.map(noted)),
      show: ({ caller, path }) =>
        Effect.zipRight(owned.account(caller, path.id), Effect.map(accounts.show(path.id), noted)),
      update: ({ caller, path, payload }) =>
        Effect.zipRight(
          admitWebhook(guard, payload),
          accounts.set(actorOf(caller), path.id, {
            ...accountOptions(payload),
            unmetered: payload.unmetered,
            version: payload.version
          })
        ).pipe(Effect.map(noted)),
      suspend: ({ caller, path }) => ending.suspend(actorOf(caller), path.id),
      resume: ({ caller, path }) => ending.resume(actorOf(caller), path.id),
      delete: ({ caller, path }) => ending.remove(actorOf(caller), path.id),
      credit: ({ caller, path, payload }) =>
        accounts.credit(actorOf(caller), path.id, nanoUsdOf(payload.usd), payload.note ?? ""),
      resetBudgets: ({ caller, path }) => Effect.zipRight(flush, accounts.resetBudgets(actorOf(caller), path.id)),
      grants: ({ caller, path, urlParams }) =>
        Effect.zipRight(owned.account(caller, path.id), accounts.grantsOf(path.id, urlParams.limit ?? 100)).pipe(
          Effect.map(wholeList)
        ),
      members: ({ caller, path, request, urlParams }) =>
        Effect.zipRight(
          owned.account(caller, path.id),
          Effect.map(members.list(path.id, configuration.current().value.sign_in?.roles ?? []), (all) =>
            membersAnswer(path.id, all, urlParams, request.headers)
          )
        ),
      webhookSecrets: ({ caller, path }) =>
        Effect.zipRight(owned.account(caller, path.id), Effect.map(webhooks.show(path.id), signingRecord)),
      rotateWebhookSecret: ({ caller, path }) =>
        Effect.zipRight(
          owned.account(caller, path.id),
          Effect.map(webhooks.rotate(actorOf(caller), path.id), signingRecord)
        )
    }
  }
)

export const AccountsHandlers = handlers(AdminAccountsApi, makeAccountsHandlers)
