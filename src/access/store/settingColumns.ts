import { Schema } from "effect"
import { asDeclared, eachSetting, settingNames } from "../../contract/callers/accountSettings.ts"
import type { DeclaredSettings, StoredSettings } from "../../contract/callers/accountSettings.ts"
import { eachKeySetting, keySettingNames } from "../../contract/callers/keySettings.ts"
import type { StoredKeySettings } from "../../contract/callers/keySettings.ts"
import type { SettingValue } from "../../contract/callers/settingRows.ts"
import { recordOf } from "../../contract/json/recordOf.ts"

const columns = {
  switch: () => Schema.Boolean,
  count: () => Schema.NullOr(Schema.Int),
  patterns: () => Schema.NullOr(Schema.parseJson(Schema.Array(Schema.String))),
  names: () => Schema.NullOr(Schema.parseJson(Schema.Array(Schema.String)))
}

/** The columns of the settings of accounts. */
export const settingColumns = eachSetting(columns)

/** The columns of the settings of keys. */
export const keySettingColumns = eachKeySetting(columns)

/** The columns of the settings from the configuration file; null where it has none. */
export const declaredSettingColumns = asDeclared(
  eachSetting({ ...columns, switch: () => Schema.NullOr(Schema.Boolean) })
)

const stored = <Name extends string>(
  names: ReadonlyArray<Name>,
  settings: { readonly [Each in Name]: SettingValue }
): { readonly [Each in Name]: string | number | null } => {
  const plain = (value: SettingValue) =>
    typeof value === "boolean"
      ? Number(value)
      : typeof value === "object" && value !== null
        ? JSON.stringify(value)
        : value
  return recordOf(names.map((name) => [name, plain(settings[name])]))
}

/** Settings as their columns store them. */
export const storedSettings = (settings: StoredSettings) => stored(settingNames, settings)

/** The same for those of keys. */
export const storedKeySettings = (settings: StoredKeySettings) => stored(keySettingNames, settings)

/** The same for those of the configuration file. */
export const storedDeclared = (settings: DeclaredSettings) => asDeclared(stored(settingNames, settings))
