import { useSignal } from "@preact/signals"
import { useLayoutEffect, useRef } from "preact/hooks"
import { Refused } from "../client.ts"
import { words } from "../words/words.ts"
import { Invalid } from "./form.ts"
import type { Field } from "./form.ts"

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

/** A field of a form as a part of a record. */
export const editedField = <A,>(
  name: string,
  field: Field,
  of: (record: A) => string | number | null
): EditedField<A> => ({
  name,
  of: (record) => String(of(record) ?? ""),
  get: () => field.value.value.trim(),
  set: (value) => {
    field.value.value = value
  }
})

/** A record's revision, if it has one. */
const versionOf = (record: object | undefined): number | undefined =>
  record !== undefined && "version" in record && typeof record.version === "number" ? record.version : undefined

/** The stored record, as a refusal with 409 has it. */
const storedIn = ({ body }: Refused): unknown => {
  const told: { readonly current?: unknown; readonly error?: { readonly current?: unknown } } | null = JSON.parse(
    JSON.stringify(body)
  )
  return told?.current ?? told?.error?.current
}

interface Difference {
  readonly field: string
  readonly stored: string
  readonly yours: string
}

/**
 * Prevents overwriting another user's changes: for each conflicting part, both values are shown to choose from. Parts
 * that this user has not touched take the stored value.
 *
 * @param isRecord whether the refusal's record is one, by its schema
 */
export const useStaleEdit = <A extends object>(
  first: A | undefined,
  fields: ReadonlyArray<EditedField<A>>,
  isRecord: (stored: unknown) => stored is A
) => {
  const base = useRef(first)
  const differing = useSignal<ReadonlyArray<Difference> | undefined>(undefined)
  const show = (now: A) => {
    const before = base.current
    base.current = now
    differing.value = fields.flatMap((field) => {
      const [stored, yours] = [field.of(now), field.get(now)]
      if (stored === yours) return []
      if (before !== undefined && yours === field.of(before)) field.set(stored)
      return [{ field: field.name, stored, yours }]
    })
  }
  const save = async (write: (version: { readonly version?: number }) => Promise<void>): Promise<void> => {
    const version = versionOf(base.current)
    try {
      await write(version === undefined ? {} : { version })
    } catch (error) {
      const now = error instanceof Refused && error.status === 409 ? storedIn(error) : undefined
      if (!isRecord(now)) throw error
      show(now)
      // The conflict itself is the message.
      throw new Invalid("")
    }
  }
  return { differing, fields, save, now: () => base.current }
}

/** The values to choose from, after another user's change. */
export const StaleEdit = <A extends object>({
  of: { differing, fields, now }
}: {
  readonly of: ReturnType<typeof useStaleEdit<A>>
}) => {
  const element = useRef<HTMLDivElement>(null)
  const all = differing.value
  useLayoutEffect(() => {
    if (all !== undefined) element.current?.querySelector("input")?.focus()
  }, [all])
  const Choice = (field: EditedField<A>, word: string, value: string) => {
    const stored = now()
    return (
      <label>
        <input
          type="radio"
          name={`stale ${field.name}`}
          checked={stored !== undefined && field.get(stored) === value}
          onChange={() => field.set(value)}
        />
        <span class="faint">{word}</span> <span>{value === "" ? words.none : (field.tell?.(value) ?? value)}</span>
      </label>
    )
  }
  return (
    <div ref={element} class="stale" role="alert" hidden={all === undefined}>
      <b>{text.title}</b>
      {all?.map(({ field: name, stored, yours }) => {
        const field = fields.find((one) => one.name === name)
        return (
          field !== undefined && (
            <fieldset key={name}>
              <legend>{name}</legend>
              {Choice(field, text.stored, stored)}
              {Choice(field, text.yours, yours)}
            </fieldset>
          )
        )
      })}
      <p class="hint">{all?.length === 0 ? text.same : text.choose}</p>
    </div>
  )
}
