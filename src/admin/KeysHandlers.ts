import { Effect, Redacted } from "effect"
import { handlers } from "../contract/handlers.ts"
import type { Handlers } from "../contract/handlers.ts"
import { Administration } from "./Administration.ts"
import type { KeyWithSecret } from "./KeyAdministration.ts"
import { AdminKeysApi } from "./KeysApi.ts"
import { makeReachedKeys } from "./ReachedKeys.ts"

/** Operations of `/admin/v1/keys`. */
export const makeKeysHandlers = Effect.map(
  Effect.all([makeReachedKeys, Administration]),
  ([keys, { reports }]): Handlers<typeof AdminKeysApi> => ({
    list: ({ caller, urlParams }) => reports.ofKey(caller.key, keys.list(caller, urlParams)),
    create: ({ caller, payload }) => Effect.map(keys.create(caller, payload), withSecret),
    find: ({ caller, payload }) => keys.find(caller, Redacted.make(payload.secret)),
    show: ({ caller, path }) => keys.show(caller, path.id),
    update: ({ caller, path, payload }) => keys.update(caller, path.id, payload),
    revoke: ({ caller, path }) => keys.revoke(caller, path.id),
    rotateSecret: ({ caller, path, payload }) =>
      Effect.map(keys.rotateSecret(caller, path.id, payload.overlap_hours), withSecret),
    resetBudgets: ({ caller, path }) => keys.resetBudgets(caller, path.id)
  })
)

export const KeysHandlers = handlers(AdminKeysApi, makeKeysHandlers)

const withSecret = ({ key, secret }: KeyWithSecret) => ({ key, secret: Redacted.value(secret) })
