import { Refused } from "../client.ts"
import { fill, h } from "../dom.ts"
import { words } from "../words/words.ts"
import { Invalid } from "./dialog.ts"

const text = words.stale

/** A part of a record that a form changes, with its values as the form's texts. */
export interface EditedField<A> {
  readonly name: string
  readonly of: (record: A) => string
  /** @param now the stored record, for parts that the form leaves unchanged */
  readonly get: (now: A) => string
  readonly set: (value: string) => void
  /** A value in words. */
  readonly tell?: (value: string) => string
}

/** An input as a part of a record. */
export const inputField = <A>(
  name: string,
  input: HTMLInputElement | HTMLSelectElement,
  of: (record: A) => string | number | null
): EditedField<A> => ({
  name,
  of: (record) => String(of(record) ?? ""),
  get: () => input.value.trim(),
  set: (value) => {
    input.value = value
    input.dispatchEvent(new Event("input", { bubbles: true }))
  }
})

/** A record's revision, if it has one. */
const versionOf = (record: object | undefined): number | undefined =>
  record !== undefined && "version" in record && typeof record.version === "number" ? record.version : undefined

/**
 * Prevents overwriting another user's changes: for each conflicting part, both values are shown to choose from. Parts
 * that this user has not touched take the stored value.
 */
export const staleEdit = <A extends object>(first: A | undefined, fields: ReadonlyArray<EditedField<A>>) => {
  let base = first
  const element = h("div", { class: "stale", role: "alert", hidden: true })

  const choice = (field: EditedField<A>, stored: string, yours: string, isStored: boolean) => {
    const tell = (value: string) => (value === "" ? words.none : (field.tell?.(value) ?? value))
    const option = (word: string, value: string, checked: boolean) =>
      h(
        "label",
        {},
        h("input", { type: "radio", name: `stale ${field.name}`, checked, on: { change: () => field.set(value) } }),
        h("span", { class: "faint" }, word),
        " ",
        h("span", {}, tell(value))
      )
    if (isStored) field.set(stored)
    return h(
      "fieldset",
      {},
      h("legend", {}, field.name),
      option(text.stored, stored, isStored),
      option(text.yours, yours, !isStored)
    )
  }

  const storedIn = ({ body }: Refused): A | undefined => {
    const told: { readonly current?: A; readonly error?: { readonly current?: A } } | null = JSON.parse(
      JSON.stringify(body)
    )
    return told?.current ?? told?.error?.current
  }

  const show = (now: A) => {
    const before = base
    base = now
    const differing = fields.flatMap((field) => {
      const [stored, yours] = [field.of(now), field.get(now)]
      if (stored === yours) return []
      return [choice(field, stored, yours, before !== undefined && yours === field.of(before))]
    })
    fill(
      element,
      h("b", {}, text.title),
      differing,
      h("p", { class: "hint" }, differing.length === 0 ? text.same : text.choose)
    )
    element.hidden = false
    element.querySelector("input")?.focus()
  }

  const save = async (write: (version: { readonly version?: number }) => Promise<void>): Promise<void> => {
    const version = versionOf(base)
    try {
      await write(version === undefined ? {} : { version })
    } catch (error) {
      const now = error instanceof Refused && error.status === 409 ? storedIn(error) : undefined
      if (now === undefined) throw error
      show(now)
      // The conflict itself is the message.
      throw new Invalid("")
    }
  }
  return { element, save }
}
