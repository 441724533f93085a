import type { ComponentChildren } from "preact"
import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import type { KeyState } from "../../src/admin/KeyRecord.ts"
import { eachSetting, settingNames } from "../../src/contract/callers/accountSettings.ts"
import type { SettingChanges } from "../../src/contract/callers/accountSettings.ts"
import { eachKeySetting, keySettingNames, mayChange, noKeySettings } from "../../src/contract/callers/keySettings.ts"
import type { KeySetting, KeySettingChanges } from "../../src/contract/callers/keySettings.ts"
import { isGuardrailName } from "../../src/contract/callers/GuardrailNames.ts"
import { isToolPattern, patternsIn } from "../../src/contract/callers/toolRule.ts"
import type { SettingRow, SettingValue, SwitchRow } from "../../src/contract/callers/settingRows.ts"
import { recordOf } from "../../src/contract/json/recordOf.ts"
import { Select, TextField } from "../parts/fields.tsx"
import { useField, wholeNumber, wrong } from "../parts/form.ts"
import type { Field } from "../parts/form.ts"
import { editedField } from "../parts/StaleEdit.tsx"
import { words } from "../words/words.ts"

/** A setting as a field of a form. */
interface SettingField {
  readonly heading: string
  readonly read: (field: Field) => SettingValue
  readonly show: (name: string, field: Field) => ComponentChildren
}

const forms = {
  switch: ({ choices, heading }: SwitchRow): SettingField => ({
    heading,
    read: ({ value }) => value.value === "yes",
    show: (name, of) => (
      <Select
        key={name}
        id={`setting-${name}`}
        label={heading}
        of={of}
        choices={[
          ["no", choices?.no ?? "no"],
          ["yes", choices?.yes ?? "yes"]
        ]}
      />
    )
  }),
  patterns: ({ heading }: SettingRow): SettingField => ({
    heading,
    read: (field) => {
      const patterns = patternsIn(field.value.value)
      const other = patterns.find((one) => !isToolPattern(one))
      if (other !== undefined) throw wrong(field, words.keyForm.toolPattern(other))
      return patterns.length === 0 ? null : patterns
    },
    show: (name, of) => <TextField key={name} id={`setting-${name}`} label={heading} of={of} placeholder={words.none} />
  }),
  names: ({ heading }: SettingRow): SettingField => ({
    heading,
    read: (field) => {
      const names = patternsIn(field.value.value)
      const other = names.find((one) => !isGuardrailName(one))
      if (other !== undefined) throw wrong(field, words.keyForm.guardrailName(other))
      return names.length === 0 ? null : names
    },
    show: (name, of) => <TextField key={name} id={`setting-${name}`} label={heading} of={of} placeholder={words.none} />
  }),
  count: ({ heading }: SettingRow): SettingField => ({
    heading,
    read: (field) => wholeNumber(field, heading),
    show: (name, of) => (
      <TextField
        key={name}
        id={`setting-${name}`}
        label={heading}
        of={of}
        inputMode="numeric"
        placeholder={words.none}
      />
    )
  })
}
const keyFields = eachKeySetting(forms)
const accountFields = eachSetting(forms)

type Values<Name extends string> = { readonly [Each in Name]: SettingValue }

const textOf = (value: SettingValue): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "object" ? (value ?? []).join(" ") : String(value)
}

interface Settings<Name extends string> {
  readonly names: ReadonlyArray<Name>
  readonly fields: { readonly [Each in Name]: SettingField }
  /** The values that fill the fields. */
  readonly first: Values<Name>
  readonly isShown: (name: Name) => boolean
}

const useSettings = <Name extends string>({ fields, first, isShown, names }: Settings<Name>) => {
  const all = names.map((name) => ({ name, field: useField(textOf(first[name])) }))
  const shown = all.filter(({ name }) => isShown(name))
  return {
    controls: shown.map(({ field, name }) => fields[name].show(name, field)),
    read: () => shown.map(({ field, name }) => [name, fields[name].read(field)] as const),
    /** As parts of a record that another user may have changed. */
    edited: <A extends Values<Name>>() =>
      shown.map(({ field, name }) => editedField<A>(fields[name].heading, field, (now) => textOf(now[name])))
  }
}

/** The fields of a key's settings that the session may change. @param like the key that fills them */
export const useKeySettings = (like: Pick<KeyState, KeySetting> | undefined, isMember: boolean) => {
  const { controls, edited, read } = useSettings({
    names: keySettingNames,
    fields: keyFields,
    first: like ?? noKeySettings,
    isShown: (name) => mayChange(name, isMember)
  })
  return { controls, edited: edited<KeyState>(), read: () => recordOf<KeySettingChanges>(read()) }
}

/** The fields of an account's settings, except those of the configuration file, which are changed there. */
export const useAccountSettings = (account: AccountRecord) => {
  const { controls, edited, read } = useSettings({
    names: settingNames,
    fields: accountFields,
    first: account,
    isShown: (name) => !account.declared.includes(name)
  })
  return { controls, edited: edited<AccountRecord>(), read: () => recordOf<SettingChanges>(read()) }
}
