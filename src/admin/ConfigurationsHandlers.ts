import { Effect, Redacted } from "effect"
import { isPostgres } from "../config/databaseSettings.ts"
import { Settings } from "../config/Settings.ts"
import { actorOf } from "../contract/callers/Acting.ts"
import { Conflict, InvalidRequest } from "../contract/failures/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import type { Handlers } from "../contract/handlers.ts"
import { wholeList } from "../contract/paging.ts"
import { OwnModels } from "../catalogue/OwnModels.ts"
import { Administration } from "./Administration.ts"
import { AdminConfigurationsApi } from "./ConfigurationsApi.ts"
import { readThrough } from "./readThrough.ts"

/** Operations of `/admin/v1/configurations`. */
export const makeConfigurationsHandlers = Effect.map(
  Effect.all([Administration, Settings, OwnModels]),
  ([{ configuration }, settings, own]): Handlers<typeof AdminConfigurationsApi> => {
    const { databaseUrl, readText } = settings
    const inPostgres = isPostgres(Redacted.value(databaseUrl)) ? Effect.void : Effect.fail(inFile)
    const readAs = (document: string) =>
      Effect.flatMap(readText("document", document), (file) => readThrough(document, file, own)).pipe(
        Effect.mapError(({ message }) => new InvalidRequest({ param: "document", message }))
      )
    return {
      list: ({ urlParams: { limit = 100 } }) => Effect.map(configuration.history(limit), wholeList),
      show: ({ path: { version } }) => configuration.show(version === "newest" ? undefined : Number(version)),
      apply: ({ caller, payload: { document, note = null } }) =>
        Effect.zipRight(
          Effect.zipRight(inPostgres, readAs(document)),
          configuration.apply({ actor: actorOf(caller), document, note })
        ),
      reapply: ({ caller, path: { version } }) =>
        Effect.zipRight(
          inPostgres,
          configuration.rollback(actorOf(caller), version === "previous" ? undefined : Number(version))
        )
    }
  }
)

export const ConfigurationsHandlers = handlers(AdminConfigurationsApi, makeConfigurationsHandlers)

const inFile = new Conflict({
  code: null,
  message: "only Postgres can store the configuration; this gateway's is in its file"
})
