import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Access } from "../../src/access/Access.ts"
import { DeclaredKeys } from "../../src/access/DeclaredKeys.ts"
import { KeyAdministration } from "../../src/admin/KeyAdministration.ts"
import { readDocument } from "../../src/config/document.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { actorNamed } from "../../src/contract/callers/Acting.ts"
import {
  callerKeySettings,
  eachKeySetting,
  keySettingNames,
  keySettingTexts,
  noKeySettings
} from "../../src/contract/callers/keySettings.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { adjust } from "../sql/clock.ts"

const secret = "team-a-secret-0123456789abcdef"
const actor = actorNamed("cli:someone")
const valuesOf = (count: number) =>
  eachKeySetting({
    switch: () => true,
    count: () => count,
    patterns: () => [`server-${count}/*`],
    names: () => [`guard-${count}`]
  })

const live = Layer.mergeAll(Access.Default, DeclaredKeys.Default, KeyAdministration.Default).pipe(
  Layer.provideMerge(database())
)

const declare = (settings: object) =>
  Effect.gen(function* () {
    const file = { keys: [{ name: "a", secret, ...settings }] }
    const { value } = yield* readDocument("gateway.yaml", JSON.stringify(file), { env: {} }, GatewayFile)
    yield* (yield* DeclaredKeys).store(value)
    yield* adjust("1 second")
  })
const callerOf = (secret: string) =>
  Effect.flatMap(Access, (access) => access.authenticate(new Headers({ authorization: `Bearer ${secret}` })))

describeOnEach("every setting of a key", () => {
  it.scoped("has its column, and reaches the caller from the configuration file and from the admin API", () =>
    Effect.gen(function* () {
      const keys = yield* KeyAdministration
      yield* declare({})
      expect(yield* callerOf(secret)).not.toMatchObject(callerKeySettings(valuesOf(7)))
      yield* declare(valuesOf(7))
      expect(yield* callerOf(secret)).toMatchObject(callerKeySettings(valuesOf(7)))

      const made = yield* keys.create(actor, { account: "a", name: "b" })
      expect(made.key).toMatchObject(noKeySettings)
      expect(keySettingTexts(made.key)).toEqual([])

      const set = yield* keys.update(actor, made.key.id, valuesOf(9))
      yield* adjust("1 second")
      expect(set).toMatchObject(valuesOf(9))
      expect(set.version).not.toBe(made.key.version)
      expect(keySettingTexts(set).map(({ name }) => name)).toEqual(keySettingNames)
      expect(yield* callerOf(Redacted.value(made.secret))).toMatchObject(callerKeySettings(valuesOf(9)))

      const renamed = yield* keys.update(actor, made.key.id, { name: "c" })
      expect(renamed).toMatchObject(valuesOf(9))
      const unset = yield* keys.update(actor, made.key.id, { name: "b", ...noKeySettings })
      expect(unset).toMatchObject({ ...noKeySettings, version: made.key.version })
      expect(callerKeySettings(noKeySettings)).toEqual({})

      const like = yield* keys.create(actor, { account: "a", name: "d", ...valuesOf(3) })
      expect(like.key).toMatchObject(valuesOf(3))
    }).pipe(Effect.provide(live))
  )
})
