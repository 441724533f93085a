import { useSignal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { words } from "../words/words.ts"

/** The input is invalid; the message says what is allowed. */
export class Invalid extends Error {}

/** The value of an input, and whether it is wrong. */
export interface Field {
  readonly value: Signal<string>
  readonly isWrong: Signal<boolean>
  /** The control, while it is shown. */
  readonly element: { current: HTMLElement | null }
}

export const useField = (first: string | number | null | undefined = ""): Field => ({
  value: useSignal(String(first ?? "")),
  isWrong: useSignal(false),
  element: useRef<HTMLElement | null>(null)
})

/** Marks a field and focuses it. */
export const wrong = (field: Field, message: string): Invalid => {
  field.isWrong.value = true
  field.element.current?.focus()
  return new Invalid(message)
}

/** A positive integer, or null for an empty field. */
export const wholeNumber = (field: Field, name: string): number | null => {
  const text = field.value.value.replaceAll(/[\s,]/g, "")
  if (text === "") return null
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw wrong(field, words.fields.whole(name))
  return value
}

/** Dollars as typed, or null for an empty field. */
export const dollarsText = (field: Field, name: string, mayBeNegative = false): string | null => {
  const text = field.value.value.replaceAll(/[\s,$]/g, "").replace("−", "-")
  if (text === "") return null
  if (!/^-?\d{1,7}(\.\d{1,9})?$/.test(text) || (text.startsWith("-") && !mayBeNegative)) {
    throw wrong(field, words.fields.dollars(name))
  }
  return text
}
