import { recordOf } from "../json/recordOf.ts"
import { isSet, settingTable } from "./settingRows.ts"
import type { CallerOf, ChangesOf, SettingRow, StoredOf, ValuesOf } from "./settingRows.ts"

/**
 * Settings of accounts that are one value, by the name that they have in the configuration file, the admin API and the
 * columns of `accounts`. A new setting is a row here, its columns in a migration, and the place that obeys it
 * (CONTRIBUTING.md).
 */
const accountSettings = {
  hold_output_tokens: {
    kind: "count",
    caller: "holdOutputTokens",
    heading: "Output tokens held for",
    inFile: "Like a [model's](#models), for the account's requests; the smaller value applies.",
    absent: "the model's",
    changes: "The most output tokens that a hold covers; null for the model's own value.",
    says: "The most output tokens that a hold covers; null for the model's own value.",
    flag: "The most output tokens that a hold covers"
  },
  trusts_end_user: {
    kind: "switch",
    caller: "trustsEndUser",
    heading: "End users",
    on: "trusted",
    choices: { no: "all count as one", yes: "trusted" },
    inFile:
      "`true`: budgets with `each: end_user` believe the end user that a request names; otherwise all count as one.",
    absent: "`false`",
    changes: "`true`: budgets for each end user believe the end user that a request names. Default `false`.",
    says: "True if budgets for each end user believe the end user that a request names.",
    flag: "Whether budgets for each end user believe the end user that a request names."
  },
  files_bytes: {
    kind: "count",
    caller: "filesBytes",
    heading: "Bytes of files",
    inFile: "The most bytes that the account's [files](api.md#files) may take together.",
    absent: "`107374182400` (100 GiB)",
    changes: "The most bytes that the account's files may take together; null for 100 GiB.",
    says: "The most bytes that the account's files may take together; null for 100 GiB.",
    flag: "The most bytes that the account's files may take together"
  },
  tools: {
    kind: "patterns",
    caller: "accountTools",
    heading: "Tools",
    inFile:
      "Patterns of the [tools](tools.md) that the account's keys may use, as `server/tool` (`jira/*`, `*/search`), in addition to their own rules.",
    absent: "all",
    changes: "Patterns of the tools that the account's keys may use, as `server/tool` (`jira/*`); null for all.",
    says: "Patterns of the tools that the account's keys may use, as `server/tool` (`jira/*`); null for all.",
    flag: "The only tools that the account's keys may use, as patterns of server/tool (jira/*)"
  },
  not_tools: {
    kind: "patterns",
    caller: "accountNotTools",
    heading: "Tools it may not use",
    line: "not tools",
    inFile: "Patterns of tools that the account's keys may not use, even if `tools` matches them.",
    absent: "none",
    changes: "Patterns of tools that the account's keys may not use, even if `tools` matches them; null for none.",
    says: "Patterns of tools that the account's keys may not use, even if `tools` matches them; null for none.",
    flag: "Tools that the account's keys may not use, as patterns of server/tool"
  },
  guardrails: {
    kind: "names",
    caller: "accountGuardrails",
    heading: "Guardrails",
    inFile: "Names of [guardrails](guardrails.md) that look at the texts of the account's requests.",
    absent: "none",
    changes: "Names of guardrails that look at the texts of the account's requests; null for none.",
    says: "Names of guardrails that look at the texts of the account's requests; null for none.",
    flag: "Guardrails that look at the texts of the account's requests"
  }
} as const satisfies Readonly<Record<string, SettingRow>>

type Table = typeof accountSettings
export type AccountSetting = keyof Table

export type StoredSettings = StoredOf<Table>
export type SettingChanges = ChangesOf<Table>
export type CallerSettings = CallerOf<Table>

/** Those of the configuration file; null where it has none. */
export type DeclaredSettings = { readonly [Name in AccountSetting]: ValuesOf<Table>[Name] | null }

/** The columns of the configuration file's settings. */
export type DeclaredColumns<Values extends { readonly [Name in AccountSetting]: unknown } = DeclaredSettings> = {
  readonly [Name in AccountSetting as `declared_${Name}`]: Values[Name]
}

export const {
  /** Settings with the changes to them. */
  changed: changedSettings,
  /** A record with a member for each setting. */
  each: eachSetting,
  /** All settings, in order. */
  names: settingNames,
  /** The settings of a new account. */
  none: noSettings,
  /** The settings that are set, as text. */
  texts: settingTexts
} = settingTable(accountSettings)

/** A record of settings by the names of the configuration file's columns. */
export const asDeclared = <Values extends { readonly [Name in AccountSetting]: unknown }>(
  values: Values
): DeclaredColumns<Values> => recordOf(settingNames.map((name) => [declaredName(name), values[name]]))

/** The settings of an account in the configuration file. */
export const declaredSettings = (
  file: Partial<{ readonly [Name in AccountSetting]: ValuesOf<Table>[Name] | undefined }>
): DeclaredSettings => recordOf(settingNames.map((name) => [name, file[name] ?? null]))

/** The column of the configuration file's setting. */
export const declaredName = <Name extends AccountSetting>(name: Name): `declared_${Name}` => `declared_${name}`

/** The columns of an account's settings beside those of its key, which may have one of the same name. */
export type BesideKey<Values extends { readonly [Name in AccountSetting]: unknown } = StoredSettings> = {
  readonly [Name in AccountSetting as `account_${Name}`]: Values[Name]
}

export const besideKey = <Values extends { readonly [Name in AccountSetting]: unknown }>(
  values: Values
): BesideKey<Values> => recordOf(settingNames.map((name) => [besideKeyName(name), values[name]]))

export const besideKeyName = <Name extends AccountSetting>(name: Name): `account_${Name}` => `account_${name}`

/** The settings in effect: the configuration file's come first. */
export const settingsInEffect = (row: StoredSettings & DeclaredColumns): StoredSettings =>
  recordOf(settingNames.map((name) => [name, row[declaredName(name)] ?? row[name]]))

/** The settings that are set, for a `Caller`. */
export const callerSettings = (row: BesideKey): CallerSettings =>
  recordOf(
    settingNames.flatMap((name) => {
      const value = row[besideKeyName(name)]
      return isSet(value) ? [[accountSettings[name].caller, value]] : []
    })
  )
