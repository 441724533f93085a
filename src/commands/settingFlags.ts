import { Options } from "@effect/cli"
import { Option } from "effect"
import { eachSetting, settingNames } from "../contract/callers/accountSettings.ts"
import type { AccountSetting, SettingChanges, StoredSettings } from "../contract/callers/accountSettings.ts"
import { eachKeySetting, keySettingNames } from "../contract/callers/keySettings.ts"
import type { KeySetting, KeySettingChanges, StoredKeySettings } from "../contract/callers/keySettings.ts"
import { patternsIn } from "../contract/callers/toolRule.ts"
import type { SettingRow } from "../contract/callers/settingRows.ts"
import { recordOf } from "../contract/json/recordOf.ts"
import { limit } from "./options.ts"

const dashed = (name: string) => name.replaceAll("_", "-")

/** `yes` or `no`, a number or `none`, or patterns or `any`. */
const flags = {
  switch: ({ flag }: SettingRow, name: string) =>
    Options.choice(dashed(name), ["yes", "no"]).pipe(
      Options.map((given) => given === "yes"),
      Options.withDescription(flag),
      Options.optional
    ),
  count: ({ flag }: SettingRow, name: string) => limit(dashed(name), flag),
  patterns: ({ flag }: SettingRow, name: string) =>
    Options.text(dashed(name)).pipe(
      Options.withPseudoName("PATTERNS|any"),
      Options.map((text) => (text === "any" || text === "none" ? null : patternsIn(text))),
      Options.withDescription(`${flag}, separated by commas; any removes them.`),
      Options.optional
    ),
  names: ({ flag }: SettingRow, name: string) =>
    Options.text(dashed(name)).pipe(
      Options.withPseudoName("NAMES|none"),
      Options.map((text) => (text === "none" ? null : patternsIn(text))),
      Options.withDescription(`${flag}, by name, separated by commas; none removes them.`),
      Options.optional
    )
}

/** The flags of the settings of accounts. */
export const settingFlags = eachSetting(flags)

/** The flags of the settings of keys. */
export const keySettingFlags = eachKeySetting(flags)

/** The settings that flags change. */
export const settingsGiven = (given: {
  readonly [Name in AccountSetting]: Option.Option<StoredSettings[Name]>
}): SettingChanges =>
  recordOf(settingNames.map((name) => [name, Option.getOrUndefined<StoredSettings[AccountSetting]>(given[name])]))

/** The settings of a key that flags change. */
export const keySettingsGiven = (given: {
  readonly [Name in KeySetting]: Option.Option<StoredKeySettings[Name]>
}): KeySettingChanges =>
  recordOf(keySettingNames.map((name) => [name, Option.getOrUndefined<StoredKeySettings[KeySetting]>(given[name])]))
