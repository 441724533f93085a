import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { TextField } from "../parts/fields.tsx"
import { useField, wholeNumber } from "../parts/form.ts"
import type { Field } from "../parts/form.ts"
import { editedField } from "../parts/StaleEdit.tsx"
import { words } from "../words/words.ts"

const text = words.keyForm

type Limits = KeyRecord["limits"]

/** The fields of a key's or an account's limits. */
export const useLimits = (limits?: Limits) => {
  const requests = useField(limits?.requests_per_minute)
  const tokens = useField(limits?.tokens_per_minute)
  const concurrent = useField(limits?.concurrent_requests)
  const tasks = useField(limits?.concurrent_tasks)
  return {
    fields: { requests, tokens, concurrent, tasks },
    read: () => ({
      requests_per_minute: wholeNumber(requests, text.requests),
      tokens_per_minute: wholeNumber(tokens, text.tokens),
      concurrent_requests: wholeNumber(concurrent, text.concurrent),
      concurrent_tasks: wholeNumber(tasks, text.tasks)
    }),
    /** As parts of a record that another user may have changed. */
    edited: <A extends { readonly limits: Limits }>() => [
      editedField<A>(text.requests, requests, (now) => now.limits.requests_per_minute),
      editedField<A>(text.tokens, tokens, (now) => now.limits.tokens_per_minute),
      editedField<A>(text.concurrent, concurrent, (now) => now.limits.concurrent_requests),
      editedField<A>(text.tasks, tasks, (now) => now.limits.concurrent_tasks)
    ]
  }
}

/** @param of `key`, `account`: the prefix of the fields' ids */
export const LimitFields = ({
  limits: { fields },
  of
}: {
  readonly of: string
  readonly limits: ReturnType<typeof useLimits>
}) => {
  const input = (id: string, label: string, field: Field) => (
    <TextField id={`${of}-${id}`} label={label} of={field} inputMode="numeric" placeholder={words.fields.noLimit} />
  )
  return (
    <>
      <div class="pair">
        {input("rpm", text.requests, fields.requests)}
        {input("tpm", text.tokens, fields.tokens)}
      </div>
      <div class="pair">
        {input("concurrent", text.concurrent, fields.concurrent)}
        {input("tasks", text.tasks, fields.tasks)}
      </div>
    </>
  )
}
