import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { words } from "../words/words.ts"
import { Invalid } from "./dialog.ts"

/** A field with its label above and a hint below. */
export const field = (label: string, control: HTMLElement, hint?: Child, isCombined = false): HTMLElement => {
  const id = control.id === "" ? `field-${label.toLowerCase().replaceAll(/[^a-z]+/g, "-")}` : control.id
  if (!isCombined) control.id = id
  const described = hint === undefined ? undefined : h("small", { id: `${id}-hint` }, hint)
  if (described !== undefined && !isCombined) control.setAttribute("aria-describedby", described.id)
  return h(
    "div",
    { class: "field" },
    isCombined ? h("span", { class: "label" }, label) : h("label", { for: id }, label),
    control,
    described
  )
}

type Extras = Readonly<Record<string, string | number | boolean>>

export const textInput = (value = "", extras: Extras = {}): HTMLInputElement =>
  h("input", { class: "input", autocomplete: "off", spellcheck: "false", ...extras, value })

export const select = (
  choices: ReadonlyArray<readonly [value: string, word: string]>,
  chosen: string,
  extras: Extras = {}
): HTMLSelectElement => {
  const element = h(
    "select",
    { class: "select", ...extras },
    choices.map(([value, word]) => h("option", { value, selected: value === chosen }, word))
  )
  return element
}

/** A positive integer, or null for an empty field. */
export const wholeNumber = (input: HTMLInputElement, name: string): number | null => {
  const text = input.value.replaceAll(/[\s,]/g, "")
  if (text === "") return null
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw wrong(input, words.fields.whole(name))
  return value
}

/** Dollars as typed, or null for an empty field. */
export const dollarsText = (input: HTMLInputElement, name: string, mayBeNegative = false): string | null => {
  const text = input.value.replaceAll(/[\s,$]/g, "").replace("−", "-")
  if (text === "") return null
  if (!/^-?\d{1,7}(\.\d{1,9})?$/.test(text) || (text.startsWith("-") && !mayBeNegative)) {
    throw wrong(input, words.fields.dollars(name))
  }
  return text
}

export const wrong = (input: HTMLElement, message: string): Invalid => {
  input.setAttribute("aria-invalid", "true")
  input.focus()
  input.addEventListener("input", () => input.removeAttribute("aria-invalid"), { once: true })
  return new Invalid(message)
}
