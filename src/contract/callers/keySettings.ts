import { recordOf } from "../json/recordOf.ts"
import { isSet, settingTable } from "./settingRows.ts"
import type { CallerOf, ChangesOf, SettingRow, StoredOf } from "./settingRows.ts"

/** A setting of keys. */
type KeySettingRow = SettingRow & {
  /** The lowest role that may change it, in its own keys; an operator always may. */
  readonly changedBy: "operator" | "manager" | "member"
}

/**
 * Settings of keys that are one value, by the name that they have in the configuration file, the admin API and the
 * columns of `keys`. A new setting is a row here, its column in a migration, and the place that obeys it
 * (CONTRIBUTING.md).
 */
const keySettings = {
  choose_route: {
    kind: "switch",
    caller: "choosesRoute",
    changedBy: "manager",
    heading: "Routes",
    line: "chooses routes",
    on: "chosen by its requests",
    lineOn: "yes",
    choices: { no: "chosen by the gateway", yes: "requests may choose (x-gateway-route)" },
    inFile:
      "Allows the header `x-gateway-route`, with which a request [chooses among its model's routes](#choosing-a-route).",
    absent: "`false`",
    changes: "Allows its requests to choose their route with the header `x-gateway-route`.",
    says: "True if its requests may choose their route with `x-gateway-route`.",
    flag: "Whether its requests may choose their route with x-gateway-route (no)."
  },
  tools: {
    kind: "patterns",
    caller: "tools",
    changedBy: "member",
    heading: "Tools",
    inFile: "Patterns of the [tools](tools.md) that the key may use, as `server/tool` (`jira/*`, `*/search`).",
    absent: "all",
    changes: "Patterns of the tools that the key may use, as `server/tool` (`jira/*`); null for all.",
    says: "Patterns of the tools that the key may use, as `server/tool` (`jira/*`); null for all.",
    flag: "The only tools that the key may use, as patterns of server/tool (jira/*)"
  },
  not_tools: {
    kind: "patterns",
    caller: "notTools",
    changedBy: "member",
    heading: "Tools it may not use",
    line: "not tools",
    inFile: "Patterns of tools that the key may not use, even if `tools` matches them.",
    absent: "none",
    changes: "Patterns of tools that the key may not use, even if `tools` matches them; null for none.",
    says: "Patterns of tools that the key may not use, even if `tools` matches them; null for none.",
    flag: "Tools that the key may not use, as patterns of server/tool"
  },
  guardrails: {
    kind: "names",
    caller: "guardrails",
    changedBy: "operator",
    heading: "Guardrails",
    inFile:
      "Names of [guardrails](guardrails.md) that look at the texts of the key's requests, beside its account's and the model's.",
    absent: "none",
    changes: "Names of guardrails that look at the texts of the key's requests; null for none.",
    says: "Names of guardrails that look at the texts of the key's requests; null for none.",
    flag: "Guardrails that look at the texts of the key's requests"
  }
} as const satisfies Readonly<Record<string, KeySettingRow>>

type Table = typeof keySettings
export type KeySetting = keyof Table

export type StoredKeySettings = StoredOf<Table>
export type KeySettingChanges = ChangesOf<Table>
export type CallerKeySettings = CallerOf<Table>

export const {
  /** Settings with the changes to them. */
  changed: changedKeySettings,
  /** A record with a member for each setting. */
  each: eachKeySetting,
  /** All settings, in order. */
  names: keySettingNames,
  /** The settings of a new key. */
  none: noKeySettings,
  /** The settings that are set, as text. */
  texts: keySettingTexts
} = settingTable(keySettings)

/** The settings that are set, for a `Caller`. */
export const callerKeySettings = (settings: StoredKeySettings): CallerKeySettings =>
  recordOf(
    keySettingNames.flatMap((name) => (isSet(settings[name]) ? [[keySettings[name].caller, settings[name]]] : []))
  )

/** True if a manager, or a member, may change a setting of their keys. */
export const mayChange = (name: KeySetting, isMember: boolean): boolean => {
  const { changedBy } = rowOf(name)
  return changedBy === "member" || (changedBy === "manager" && !isMember)
}

/** The roles that may change a setting: `an operator or a manager`. */
export const changersOf = (name: KeySetting): string =>
  rowOf(name).changedBy === "manager" ? "an operator or a manager" : "an operator"

const rowOf = (name: KeySetting): KeySettingRow => keySettings[name]
