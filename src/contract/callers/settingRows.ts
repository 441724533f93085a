import { Struct } from "effect"
import { recordOf } from "../json/recordOf.ts"

/** The words of a setting, in Markdown where they are docs. */
export interface SettingWords {
  /** Its member in `Caller`; absent there if it isn't set. */
  readonly caller: string
  /** Its heading in the console. */
  readonly heading: string
  /** Its heading in the command line; by default that of the console, in lower case. */
  readonly line?: string
  /** Its description in the configuration file, and the default there. */
  readonly inFile: string
  readonly absent: string
  /** Its description in requests of the admin API. */
  readonly changes: string
  /** Its description in answers of the admin API. */
  readonly says: string
  /** Its description in the command line. Its flag is its name, with dashes. */
  readonly flag: string
}

export interface SwitchRow extends SettingWords {
  readonly kind: "switch"
  /** Its choices in the console's form; by default `no` and `yes`. */
  readonly choices?: { readonly no: string; readonly yes: string }
  /** Its value in the console where it is on, and in the command line unless `lineOn` is given. */
  readonly on: string
  readonly lineOn?: string
}

export interface CountRow extends SettingWords {
  readonly kind: "count"
}

export interface PatternsRow extends SettingWords {
  readonly kind: "patterns"
}

/** Names of entries of the configuration file. */
export interface NamesRow extends SettingWords {
  readonly kind: "names"
}

/** A switch is off by default; a count, of 1 or more, and patterns or names, one or more, are absent by default. */
export type SettingRow = SwitchRow | CountRow | PatternsRow | NamesRow

/** Settings by the name that they have in the configuration file, the admin API and the columns. */
export type Table = Readonly<Record<string, SettingRow>>

interface Values {
  readonly switch: boolean
  readonly count: number
  readonly patterns: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}

/** The value of each setting that is set. */
export type ValuesOf<T extends Table> = { readonly [Name in keyof T]: Values[T[Name]["kind"]] }

/** The values of all settings; counts, patterns and names that aren't set are null. */
export type StoredOf<T extends Table> = {
  readonly [Name in keyof T]: T[Name]["kind"] extends "switch" ? boolean : ValuesOf<T>[Name] | null
}

/** Absent settings stay as they are. */
export type ChangesOf<T extends Table> = { readonly [Name in keyof T]?: StoredOf<T>[Name] | undefined }

/** The settings that are set, as members of `Caller`. */
export type CallerOf<T extends Table> = {
  readonly [Name in keyof T as T[Name]["caller"]]?: ValuesOf<T>[Name] | undefined
}

/** The value of a setting; null if it isn't set. */
export type SettingValue = Values[Kind] | null

type Kind = SettingRow["kind"]

/** A function of rows for each kind. */
export type ByKind = { readonly [K in Kind]: (row: Extract<SettingRow, { readonly kind: K }>, name: string) => unknown }

/** A record with what is made of each row. */
export type EachOf<T extends Table, Of extends ByKind> = { readonly [Name in keyof T]: ReturnType<Of[T[Name]["kind"]]> }

/** True for a value other than the default. */
export const isSet = (value: SettingValue): boolean => value !== null && value !== false

/** The values of settings that aren't set. */
const unset = { switch: () => false, count: () => null, patterns: () => null, names: () => null } as const

const madeOf = (row: SettingRow, name: string, of: ByKind): unknown => {
  switch (row.kind) {
    case "switch":
      return of.switch(row, name)
    case "count":
      return of.count(row, name)
    case "patterns":
      return of.patterns(row, name)
    case "names":
      return of.names(row, name)
  }
}

/** A setting that is set, as text. */
export interface SettingText {
  readonly name: string
  /** In the console. */
  readonly heading: string
  readonly text: string
  /** In the command line. */
  readonly line: readonly [heading: string, text: string]
}

const settingText = (
  row: SettingRow,
  name: string,
  value: SettingValue,
  number: (count: number) => string
): SettingText => {
  const { heading, line = heading.toLowerCase() } = row
  const text = row.kind === "switch" ? row.on : typeof value === "number" ? number(value) : textOf(value)
  return { name, heading, text, line: [line, row.kind === "switch" ? (row.lineOn ?? text) : text] }
}

const textOf = (value: SettingValue): string => (Array.isArray(value) ? value.join(" ") : String(value ?? ""))

/** The settings of accounts, or of keys. */
export const settingTable = <T extends Table>(table: T) => {
  const rows = Struct.entries(table)
  const names = rows.map(([name]) => name)

  /** A record with a member for each setting. */
  const each = <Of extends ByKind>(of: Of): EachOf<T, Of> =>
    recordOf(rows.map(([name, row]) => [name, madeOf(row, name, of)]))

  /** Settings with the changes to them. */
  const changed = (before: StoredOf<T>, changes: ChangesOf<T>): StoredOf<T> =>
    recordOf(names.map((name) => [name, changes[name] === undefined ? before[name] : changes[name]]))

  /** The settings that are set, as text, each with its headings. */
  const texts = (settings: StoredOf<T>, number: (count: number) => string = String): ReadonlyArray<SettingText> =>
    rows.flatMap(([name, row]) => (isSet(settings[name]) ? [settingText(row, name, settings[name], number)] : []))

  return { names, each, changed, texts, none: recordOf<StoredOf<T>>(Struct.entries(each(unset))) } as const
}
