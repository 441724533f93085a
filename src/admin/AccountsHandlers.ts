import { Effect } from "effect"
import { actorOf } from "../contract/Acting.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { offsetOf, pagedByOffset } from "../contract/paging.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { accountOptions, admitted } from "./accountOptions.ts"
import type { AccountRecord } from "./AccountRecord.ts"
import { AdminAccountsApi } from "./AccountsApi.ts"
import { Administration } from "./Administration.ts"
import { nanoUsdOf } from "./fields.ts"
import { membersAnswer } from "./membersAnswer.ts"
import { Providers } from "../people/Providers.ts"
import { makeOwned } from "./Owned.ts"
import { withUnmatched } from "./modelRules.ts"
import { Serving } from "./Serving.ts"
import { signingRecord } from "./WebhookAdministration.ts"

/** Handlers of `/admin/v1/accounts`. */
export const AccountsHandlers = handlers(
  AdminAccountsApi,
  Effect.map(
    Effect.all([Administration, Serving, Ledger, AddressGuard, makeOwned, Providers]),
    ([{ accounts, ending, members, reports, webhooks }, { unmatched }, { flush }, guard, owned, providers]) => {
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
            admitted(guard, payload),
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
            admitted(guard, payload),
            accounts.set(actorOf(caller), path.id, {
              ...accountOptions(payload),
              unmetered: payload.unmetered,
              version: payload.version
            })
          ).pipe(Effect.map(noted)),
        suspend: ({ caller, path }) => ending.suspend(actorOf(caller), path.id),
        resume: ({ caller, path }) => ending.resume(actorOf(caller), path.id),
        delete: ({ caller, path }) => ending.remove(actorOf(caller), path.id),
        credit: ({ caller, path, payload }) => {
          const nanoUsd = nanoUsdOf(payload.usd)
          return nanoUsd === 0
            ? Effect.fail(new InvalidRequest({ param: "usd", message: "usd: expected an amount other than 0" }))
            : accounts.credit(actorOf(caller), path.id, nanoUsd, payload.note ?? "")
        },
        resetBudgets: ({ caller, path }) => Effect.zipRight(flush, accounts.resetBudgets(actorOf(caller), path.id)),
        grants: ({ caller, path, urlParams }) =>
          Effect.zipRight(owned.account(caller, path.id), accounts.grantsOf(path.id, urlParams.limit ?? 100)).pipe(
            Effect.map((data) => ({ object: "list" as const, data, next: null }))
          ),
        members: ({ caller, path, request, urlParams }) =>
          Effect.zipRight(
            owned.account(caller, path.id),
            Effect.map(members.list(path.id, providers.rules()?.roles ?? []), (all) =>
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
)
