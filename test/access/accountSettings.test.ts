import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Access } from "../../src/access/Access.ts"
import { DeclaredKeys } from "../../src/access/DeclaredKeys.ts"
import { AccountAdministration } from "../../src/admin/AccountAdministration.ts"
import { readDocument } from "../../src/config/document.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { actorNamed } from "../../src/contract/callers/Acting.ts"
import {
  besideKey,
  callerSettings,
  eachSetting,
  noSettings,
  settingNames,
  settingTexts
} from "../../src/contract/callers/accountSettings.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { adjust } from "../sql/clock.ts"

const secret = "team-a-secret-0123456789abcdef"
const actor = actorNamed("cli:someone")
const valuesOf = (count: number) =>
  eachSetting({
    switch: () => true,
    count: () => count,
    patterns: () => [`server-${count}/*`],
    names: () => [`guard-${count}`]
  })

const live = Layer.mergeAll(Access.Default, DeclaredKeys.Default, AccountAdministration.Default).pipe(
  Layer.provideMerge(database())
)

const declare = (settings: object) =>
  Effect.gen(function* () {
    const file = { keys: [{ name: "a", secret }], accounts: { a: settings } }
    const { value } = yield* readDocument("gateway.yaml", JSON.stringify(file), { env: {} }, GatewayFile)
    yield* (yield* DeclaredKeys).store(value)
    yield* adjust("1 second")
  })
const caller = Effect.flatMap(Access, (access) =>
  access.authenticate(new Headers({ authorization: `Bearer ${secret}` }))
)

describeOnEach("every setting of an account", () => {
  it.scoped("has its columns, and reaches the caller from the configuration file and from the admin API", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountAdministration
      yield* declare({})
      const fresh = yield* accounts.show("a")
      expect(fresh).toMatchObject({ ...noSettings, declared: [] })
      expect(settingTexts(fresh)).toEqual([])

      const set = yield* accounts.set(actor, "a", valuesOf(7))
      yield* adjust("1 second")
      expect(set).toMatchObject({ ...valuesOf(7), declared: [] })
      expect(set.version).not.toBe(fresh.version)
      expect(
        settingTexts(set)
          .map(({ name }) => name)
          .toSorted()
      ).toEqual(settingNames.toSorted())
      expect(yield* caller).toMatchObject(callerSettings(besideKey(valuesOf(7))))

      yield* declare(valuesOf(9))
      expect(yield* accounts.show("a")).toMatchObject({ ...valuesOf(9), declared: settingNames })
      expect(yield* caller).toMatchObject(callerSettings(besideKey(valuesOf(9))))

      yield* declare({})
      yield* accounts.set(actor, "a", noSettings)
      yield* adjust("1 second")
      expect(yield* accounts.show("a")).toMatchObject({ ...noSettings, declared: [], version: fresh.version })
      expect(callerSettings(besideKey(noSettings))).toEqual({})
      expect(yield* caller).not.toMatchObject(callerSettings(besideKey(valuesOf(7))))
    }).pipe(Effect.provide(live))
  )
})
