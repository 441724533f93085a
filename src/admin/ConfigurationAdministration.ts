import { Clock, Effect } from "effect"
import { changedText } from "../config/changedFields.ts"
import type { Actor } from "../contract/callers/Acting.ts"
import { Conflict, NotFound } from "../contract/failures/Failure.ts"
import { Changes } from "../sql/Changes.ts"
import { isRefused } from "../sql/isRefused.ts"
import { makeChange } from "./change.ts"
import { configurationRecord } from "./ConfigurationRecord.ts"
import { Audit } from "./store/Audit.ts"
import { Configurations } from "./store/Configurations.ts"
import type { ConfigurationRow } from "./store/Configurations.ts"

interface NewConfiguration {
  readonly actor: Actor
  /** The YAML text, already validated. */
  readonly document: string
  readonly note: string | null
}

/** The operator's view of the configuration in the database. */
export class ConfigurationAdministration extends Effect.Service<ConfigurationAdministration>()(
  "gateway/admin/ConfigurationAdministration",
  {
    dependencies: [Configurations.Default, Audit.Default, Changes.Default],
    effect: Effect.gen(function* () {
      const stored = yield* Configurations
      const change = yield* makeChange

      const newest = Effect.flatMap(stored.latest, stored.find)

      /** The audit row has the fields that differ from the version before. */
      const insertVersion = (action: string, { actor, document, note }: NewConfiguration) =>
        change({
          actor,
          action,
          before: Effect.map(newest, (former) =>
            former === undefined ? null : { version: former.version, ...changedText(former.document, document)?.before }
          ),
          write: Effect.gen(function* () {
            const version = (yield* stored.latest) + 1
            const applied_at = yield* Clock.currentTimeMillis
            const row: ConfigurationRow = { version, document, applied_at, applied_by: actor.name, note }
            yield* Effect.catchIf(stored.insert(row), isRefused, () => Effect.fail(concurrentVersion))
            return row
          }),
          after: ({ version }) =>
            Effect.map(stored.find(version - 1), (former) => ({
              version,
              note,
              ...(former && changedText(former.document, document)?.after)
            })),
          target: () => "configuration"
        }).pipe(Effect.map(({ result }) => configurationRecord(result)))

      const show = (version: number | undefined) =>
        Effect.gen(function* () {
          const wanted = version ?? (yield* stored.latest)
          const row = yield* stored.find(wanted)
          if (row !== undefined) return { ...configurationRecord(row), document: row.document }
          return yield* new NotFound({
            param: null,
            message: version === undefined ? "no configuration was applied yet" : `there is no version ${version}`
          })
        }).pipe(Effect.catchTag("SqlError", Effect.die))

      return {
        /** Stores a document as the newest version; all nodes load it. */
        apply: (configuration: NewConfiguration) => insertVersion("configuration.apply", configuration),
        /** Applies an earlier version again: by default, the one before the newest. */
        rollback: (actor: Actor, version: number | undefined) =>
          Effect.gen(function* () {
            const latest = yield* Effect.orDie(stored.latest)
            const former = yield* show(version ?? latest - 1)
            const note = `version ${former.version} again`
            return yield* insertVersion("configuration.rollback", { actor, document: former.document, note })
          }),
        /** By default, the newest version. */
        show,
        /** Newest first. */
        history: (limit: number) => Effect.orDie(Effect.map(stored.list(limit), (all) => all.map(configurationRecord)))
      } as const
    })
  }
) {}

const concurrentVersion = new Conflict({
  code: null,
  message: "another version was applied at the same time: review it first"
})
